/*
 * Tests locations in tables that were written by hand. Also compares the mounts of random directory
 * trees with everything that is reached by any path.
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "place/mount_table.h"
#include "random.h"

static struct simhash_error error;

static void read_text(struct mount_table *table, const char *text)
{
	char *copy = strdup(text);

	assert_non_null(copy);
	assert_int_equal(mount_table_read(table, copy, strlen(copy), &error), 0);
}

static struct location located(const struct mount_table *table, uint64_t id, const char *path)
{
	struct location location;

	assert_true(mount_table_locate(table, id, bytes_of(path), &location));
	return location;
}

static enum mount_answer told(const struct mount_table *table, uint64_t id, const char *path)
{
	struct location location = located(table, id, path);

	return mount_table_tell(table, &location);
}

static void protect(struct mount_table *table, uint64_t id, const char *path)
{
	struct location location = located(table, id, path);

	assert_int_equal(mount_table_protect(table, &location, 1, &error), 0);
}

static void bind_mounts_are_seen_through(void **state)
{
	struct mount_table table;

	(void)state;
	read_text(&table,
		  "30 1 8:1 / / rw shared:1 - ext4 /dev/sda1 rw\n"
		  "41 30 8:1 /prot/sub /alias rw - ext4 /dev/sda1 rw\n"
		  "40 30 8:2 / /disk rw - ext4 /dev/sda2 rw\n"
		  "42 30 8:1 /prot/file /one rw master:1 propagate_from:2 - ext4 /dev/sda1 rw\n"
		  "43 30 8:1 / /all rw - ext4 /dev/sda1 rw");
	protect(&table, 30, "/prot");
	assert_int_equal(told(&table, 30, "/prot"), MOUNT_PROTECTED);
	assert_int_equal(told(&table, 30, "/prot/x/y"), MOUNT_PROTECTED);
	assert_int_equal(told(&table, 30, "/prot.too"), MOUNT_FREE);
	assert_int_equal(told(&table, 30, "/"), MOUNT_FREE);
	assert_int_equal(told(&table, 41, "/alias"), MOUNT_PROTECTED);
	assert_int_equal(told(&table, 41, "/alias/x"), MOUNT_PROTECTED);
	assert_int_equal(told(&table, 40, "/disk/prot"), MOUNT_FREE);
	assert_int_equal(told(&table, 42, "/one"), MOUNT_PROTECTED);
	assert_int_equal(told(&table, 43, "/all"), MOUNT_FREE);
	assert_int_equal(told(&table, 43, "/all/pro"), MOUNT_FREE);
	assert_int_equal(told(&table, 43, "/all/prot/x"), MOUNT_PROTECTED);
	mount_table_release(&table);
}

static void what_is_not_told_is_unknown(void **state)
{
	struct mount_table table;
	struct location location;

	(void)state;
	read_text(&table, "30 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
			  "31 30 0:50 / /home rw - nfs4 server:/home rw\n"
			  "32 30 0:50 / /data rw - nfs4 server:/data rw\n"
			  "33 30 8:1 /old//deleted /gone rw - ext4 /dev/sda1 rw\n"
			  "34 32 8:2 / /data/disk rw - ext4 /dev/sda2 rw\n"
			  "35 30 0:4 net:[4026532] /run/net rw - nsfs nsfs rw\n");
	assert_false(mount_table_locate(&table, 99, bytes_of("/home"), &location));
	assert_false(mount_table_locate(&table, 31, bytes_of("/homes"), &location));
	assert_false(mount_table_locate(&table, 31, bytes_of("/"), &location));
	assert_false(mount_table_locate(&table, 31, bytes_of("pipe:[7]"), &location));
	assert_false(mount_table_locate(&table, 31, bytes_of(""), &location));
	protect(&table, 31, "/home/prot");
	/* NFS does not show its roots, so another mount of it can lead anywhere. */
	assert_int_equal(told(&table, 31, "/home/prot/x"), MOUNT_PROTECTED);
	assert_int_equal(told(&table, 31, "/home/x"), MOUNT_FREE);
	assert_int_equal(told(&table, 32, "/data/x"), MOUNT_UNKNOWN);
	assert_int_equal(told(&table, 30, "/home/prot"), MOUNT_FREE);
	/* File systems mounted there are also protected. */
	assert_int_equal(told(&table, 34, "/data/disk"), MOUNT_PROTECTED);
	assert_int_equal(told(&table, 35, "/run/net"), MOUNT_FREE);
	mount_table_release(&table);
	read_text(&table, "30 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
			  "33 30 8:1 /old//deleted /gone rw - ext4 /dev/sda1 rw\n");
	protect(&table, 30, "/prot");
	assert_int_equal(told(&table, 33, "/gone/x"), MOUNT_UNKNOWN);
	mount_table_release(&table);
}

static void escapes_are_undone(void **state)
{
	struct mount_table table;

	(void)state;
	read_text(&table,
		  "30 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
		  "31 30 8:1 /a\\040b\\011\\012\\134040\\377 /x\\040y rw - ext4 /dev/sda1 rw\n"
		  "32 30 8:1 /\\04 /z\\9 rw - ext4 /dev/sda1 rw\n");
	protect(&table, 30, "/a b\t\n\\040\xff");
	assert_int_equal(told(&table, 31, "/x y/z"), MOUNT_PROTECTED);
	assert_int_equal(told(&table, 32, "/z\\9"), MOUNT_FREE);
	mount_table_release(&table);
	read_text(&table, "32 30 8:1 /\\04 /z\\9 rw - ext4 /dev/sda1 rw\n"
			  "30 1 8:1 / / rw - ext4 /dev/sda1 rw\n");
	protect(&table, 30, "/\\04");
	assert_int_equal(told(&table, 32, "/z\\9"), MOUNT_PROTECTED);
	mount_table_release(&table);
}

static void other_lines_are_errors(void **state)
{
	static const char *const texts[] = {
		"\n",
		"x 1 8:1 / / rw - ext4 /dev/sda1 rw\n",
		"30  8:1 / / rw - ext4 /dev/sda1 rw\n",
		"30 1 8 / / rw - ext4 /dev/sda1 rw\n",
		"30 1 8:1 / point rw - ext4 /dev/sda1 rw\n",
		"30 1 8:1 / / rw ext4 /dev/sda1 rw\n",
		"30 1 8:1 / / rw -\n",
		"30 1 8:1 /",
		"99999999999999999999999 1 8:1 / / rw - ext4 /dev/sda1 rw\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct mount_table table;
		char *copy = strdup(texts[i]);
		assert_non_null(copy);
		assert_int_equal(mount_table_read(&table, copy, strlen(copy), &error), -1);
		assert_non_null(strstr(error.message, "line 1: expected a mount"));
		mount_table_release(&table);
	}
}

/* ---- Random mounts ---- */

/*
 * Each file system has the directories "", /a, /b, /a/a, /a/b, /b/a and /b/b. Each is a node, and
 * the number of its path is 0 to 6.
 */
#define SYSTEMS 3
#define NODES 7
#define MOUNTS_MAX 9

static const char *const node_paths[NODES] = {"", "/a", "/b", "/a/a", "/a/b", "/b/a", "/b/b"};

struct world {
	size_t count;
	struct {
		size_t system, root; /* the mounted node */
		size_t parent, at;   /* the mount point: a node that the parent mount shows */
		char point[64];
	} mounts[MOUNTS_MAX];
};

static bool is_below(size_t node, size_t top)
{
	size_t size = strlen(node_paths[top]);

	return strncmp(node_paths[node], node_paths[top], size) == 0;
}

/* The path of a node through a mount. */
static void path_by(const struct world *world, size_t mount, size_t node, char path[64])
{
	snprintf(path, 64, "%s%s", world->mounts[mount].point,
		 node_paths[node] + strlen(node_paths[world->mounts[mount].root]));
}

static bool is_taken(const struct world *world, size_t parent, size_t at)
{
	for (size_t i = 1; i < world->count; i++)
		if (world->mounts[i].parent == parent && world->mounts[i].at == at)
			return true;
	return false;
}

/* No mount covers the root of another mount, or another mount point. */
static void make_world(struct world *world)
{
	size_t wanted = 2 + next_random() % (MOUNTS_MAX - 1);

	memset(world, 0, sizeof *world);
	world->count = 1;
	for (size_t tries = 0; tries < 200 && world->count < wanted; tries++) {
		size_t parent = next_random() % world->count, at = next_random() % NODES;
		size_t i = world->count;
		char point[sizeof world->mounts[0].point];
		if (!is_below(at, world->mounts[parent].root) || at == world->mounts[parent].root ||
		    is_taken(world, parent, at))
			continue;
		world->mounts[i].system = next_random() % SYSTEMS;
		world->mounts[i].root = next_random() % NODES;
		world->mounts[i].parent = parent;
		world->mounts[i].at = at;
		path_by(world, parent, at, point);
		memcpy(world->mounts[i].point, point, sizeof point);
		world->count++;
	}
}

static void write_world(const struct world *world, struct mount_table *table)
{
	char text[MOUNTS_MAX * 200];
	size_t used = 0;

	for (size_t i = world->count; i-- > 0;)
		used += (size_t)snprintf(
			text + used, sizeof text - used, "%zu %zu 7:%zu %s %s rw - tmpfs none rw\n",
			100 + i, i == 0 ? 1 : 100 + world->mounts[i].parent,
			world->mounts[i].system,
			world->mounts[i].root == 0 ? "/" : node_paths[world->mounts[i].root],
			i == 0 ? "/" : world->mounts[i].point);
	read_text(table, text);
}

/*
 * Mark everything that can be reached from protected directories through subdirectories and mounts.
 */
static void spread(const struct world *world, bool inside[SYSTEMS][NODES])
{
	for (bool grew = true; grew;) {
		grew = false;
		for (size_t i = 1; i < world->count; i++) {
			size_t parent = world->mounts[i].parent;
			if (!inside[world->mounts[parent].system][world->mounts[i].at])
				continue;
			for (size_t node = 0; node < NODES; node++)
				if (is_below(node, world->mounts[i].root) &&
				    !inside[world->mounts[i].system][node])
					grew = inside[world->mounts[i].system][node] = true;
		}
	}
}

static void protection_spreads_over_mounts(void **state)
{
	size_t answers[2] = {0};

	(void)state;
	for (size_t round = 0; round < 20000; round++) {
		bool inside[SYSTEMS][NODES] = {{false}};
		struct mount_table table;
		struct world world;
		char path[64], top[64];
		size_t mount, node;
		make_world(&world);
		write_world(&world, &table);
		mount = next_random() % world.count;
		do
			node = next_random() % NODES;
		while (!is_below(node, world.mounts[mount].root));
		path_by(&world, mount, node, top);
		protect(&table, 100 + mount, top[0] == '\0' ? "/" : top);
		for (size_t i = 0; i < NODES; i++)
			inside[world.mounts[mount].system][i] = is_below(i, node);
		spread(&world, inside);
		for (size_t i = 0; i < world.count; i++)
			for (size_t j = 0; j < NODES; j++) {
				bool expected = inside[world.mounts[i].system][j];
				if (!is_below(j, world.mounts[i].root))
					continue;
				path_by(&world, i, j, path);
				assert_int_equal(
					told(&table, 100 + i, path[0] == '\0' ? "/" : path),
					expected ? MOUNT_PROTECTED : MOUNT_FREE);
				answers[expected]++;
			}
		mount_table_release(&table);
	}
	assert_true(answers[0] > 10000 && answers[1] > 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bind_mounts_are_seen_through),
		cmocka_unit_test(what_is_not_told_is_unknown),
		cmocka_unit_test(escapes_are_undone),
		cmocka_unit_test(other_lines_are_errors),
		cmocka_unit_test(protection_spreads_over_mounts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
