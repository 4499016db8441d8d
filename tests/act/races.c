/*
 * Tests actions of other programs while files are acted on. Each action happens in this process, at
 * each step between opening and removal. At no step may a content or a written change be lost.
 *
 *     races DIR [no-times] [mounts] [every=N]
 *
 *     no-times  a store through a mapping changes no time, as on tmpfs
 *     mounts    also mount and unmount; needs a separate mount namespace
 *     every=N   test only every Nth step
 *
 * Each call that reads the status of a file or changes a name is a step, and is wrapped by the
 * linker. The program prints the number of races. In a second round there are no leases, so that
 * only times can show a change.
 * SPDX-License-Identifier: MIT
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "act/acting/act.h"
#include "base/basic/bytes.h"

#define COPIES 2
#define SIZE 5000
#define PIECE 256
#define TIME_S 1500000000

enum deed {
	MAPPED_BEFORE, /* store through an existing mapping */
	MAP,	       /* open, map, store */
	WRITE_RESTORE, /* open, write, restore the time */
	HELD_RESTORE,  /* the same with a file that was already open */
	TRUNCATE,
	MOVE_AWAY,
	REPLACE,
	REMOVE,
	EXCHANGE,	/* exchange the names of both files */
	RENAME_PARENT,	/* rename the directory */
	MOUNT_OVER,	/* mount another directory over the directory of the file */
	UNMOUNT_LAZILY, /* unmount the file system of the kept file */
	DEEDS
};
static const char *const deed_names[] = {"mapped before",
					 "map",
					 "write and restore the time",
					 "the same, open before",
					 "truncate",
					 "move",
					 "replace",
					 "remove",
					 "exchange",
					 "rename the directory",
					 "mount over",
					 "unmount lazily"};

static const char *top; /* the working directory */
static struct race {
	enum keep_action action;
	enum deed deed;
	bool is_of_kept, has_leases;
	long step;    /* the step before which the action happens */
	long steps;   /* steps so far */
	int removals; /* the number of removed copies */
	bool is_armed, is_done;
	int had_gone;	  /* the number of copies removed before the action */
	const char *call; /* the call after the action */
	bool has_written; /* new content must be found */
	int since_change; /* steps since the last change of a status time */
	bool is_at_change;
	int held;
	char *mapping;
} race;
static long races, every = 1;

static void die(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

static const char *target(void)
{
	return race.is_of_kept ? "k/kept" : "c/1";
}

/* ---- Actions of other programs ---- */

static void write_file(const char *name, const char *begin)
{
	static const char piece[SIZE];
	char content[SIZE];
	int fd = open(name, O_CREAT | O_EXCL | O_WRONLY, 0644);

	memcpy(content, piece, SIZE);
	memcpy(content, begin, strlen(begin));
	if (fd < 0 || write(fd, content, SIZE) != SIZE || close(fd) != 0)
		die(name);
}

static void write_and_restore(int fd)
{
	const struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = TIME_S}};

	if (pwrite(fd, "changed", 7, 0) != 7 || futimens(fd, times) != 0)
		die("write");
	race.has_written = true;
}

static char *map(int fd)
{
	char *mapping = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (mapping == MAP_FAILED)
		die("mmap");
	return mapping;
}

static void store(char *mapping)
{
	memcpy(mapping, "changed", 7);
	race.has_written = true;
}

/* With a lease, a program that opens a file for writing would wait; this one does not. */
static void open_and(enum deed deed)
{
	int flags = O_RDWR | O_NONBLOCK | (deed == TRUNCATE ? O_TRUNC : 0);
	int fd = open(target(), flags);
	char *mapping;

	if (fd < 0)
		return;
	if (deed == WRITE_RESTORE) {
		write_and_restore(fd);
	} else if (deed == MAP) {
		mapping = map(fd);
		store(mapping);
		munmap(mapping, SIZE);
	}
	close(fd);
}

static void replace(void)
{
	write_file("new", "changed");
	if (rename("new", target()) != 0)
		die("replace");
	race.has_written = true;
}

static void mount_over(const char *directory)
{
	if (mount("other", directory, NULL, MS_BIND, NULL) != 0)
		die("mount");
}

static void act_as_others(void)
{
	const char *directory = race.is_of_kept ? "k" : "c";

	switch (race.deed) {
	case MAPPED_BEFORE:
		store(race.mapping);
		break;
	case HELD_RESTORE:
		write_and_restore(race.held);
		break;
	case MAP:
	case WRITE_RESTORE:
	case TRUNCATE:
		open_and(race.deed);
		break;
	case MOVE_AWAY:
		rename(target(), "elsewhere");
		break;
	case REPLACE:
		replace();
		break;
	case REMOVE:
		unlink(target());
		break;
	case EXCHANGE:
		renameat2(AT_FDCWD, "k/kept", AT_FDCWD, "c/1", RENAME_EXCHANGE);
		break;
	case RENAME_PARENT:
		rename(directory, "renamed");
		break;
	case MOUNT_OVER:
		mount_over(directory);
		break;
	case UNMOUNT_LAZILY:
		if (umount2("k", MNT_DETACH) != 0)
			die("umount");
		break;
	case DEEDS:
		break;
	}
}

/* ---- Steps ---- */

static void step(const char *call, bool changes)
{
	if (!race.is_armed)
		return;
	race.steps++;
	race.since_change = changes ? 0 : race.since_change + 1;
	if (race.is_done && changes && race.steps == race.step + 1)
		race.is_at_change = true;
	if (race.is_done || race.steps != race.step)
		return;
	race.is_done = true;
	race.had_gone = race.removals;
	race.call = call;
	race.is_at_change = race.since_change <= 2;
	race.is_armed = false;
	act_as_others();
	race.is_armed = true;
}

#define WRAP(result, name, parameters, arguments, changes) \
	result __real_##name parameters;                   \
	result __wrap_##name parameters;                   \
	result __wrap_##name parameters                    \
	{                                                  \
		step(#name, changes);                      \
		return __real_##name arguments;            \
	}
/* These calls are not steps, except that written pages matter. */
#define WRAP_SYNC(name)                                                               \
	int __wrap_##name(int fd);                                                    \
	int __wrap_##name(int fd)                                                     \
	{                                                                             \
		step(#name, false);                                                   \
		sync_file_range(fd, 0, 0,                                             \
				SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | \
					SYNC_FILE_RANGE_WAIT_AFTER);                  \
		return 0;                                                             \
	}

WRAP(int, flock, (int fd, int how), (fd, how), false)
WRAP(int, statx, (int fd, const char *name, int flags, unsigned mask, struct statx *status),
     (fd, name, flags, mask, status), false)
WRAP(ssize_t, pread64, (int fd, void *buffer, size_t size, off_t at), (fd, buffer, size, at), false)
WRAP(int, linkat, (int from, const char *a, int to, const char *b, int flags),
     (from, a, to, b, flags), strcmp(a, ".") != 0)
WRAP(int, renameat, (int from, const char *a, int to, const char *b), (from, a, to, b), true)
WRAP(int, renameat2, (int from, const char *a, int to, const char *b, unsigned flags),
     (from, a, to, b, flags), true)
WRAP_SYNC(fsync)
WRAP_SYNC(fdatasync)
WRAP_SYNC(syncfs)

int __real_unlinkat(int fd, const char *name, int flags);
int __wrap_unlinkat(int fd, const char *name, int flags);
int __wrap_unlinkat(int fd, const char *name, int flags)
{
	int status;

	step("unlinkat", true);
	status = __real_unlinkat(fd, name, flags);
	race.removals += race.is_armed && status == 0;
	return status;
}

int __real_fcntl64(int fd, int command, ...);
int __wrap_fcntl64(int fd, int command, ...);
int __wrap_fcntl64(int fd, int command, ...)
{
	va_list arguments;
	long argument;

	va_start(arguments, command);
	argument = va_arg(arguments, long);
	va_end(arguments);
	if (command == F_SETLEASE || command == F_GETLEASE)
		step("fcntl", false);
	if (command == F_SETLEASE && !race.has_leases) {
		errno = EINVAL;
		return -1;
	}
	return __real_fcntl64(fd, command, argument);
}

/* ---- One race ---- */

static void remove_below(const char *directory)
{
	char path[2 * PATH_MAX];
	const struct dirent *entry;
	DIR *entries = opendir(directory);

	if (entries == NULL)
		die(directory);
	while ((entry = readdir(entries)) != NULL) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
		if (unlink(path) == 0)
			continue;
		remove_below(path);
		if (rmdir(path) != 0)
			die(path);
	}
	closedir(entries);
}

/* Does a file in a directory or below begin with this text? */
static bool is_found(const char *directory, const char *begin)
{
	char path[2 * PATH_MAX], content[SIZE + 1] = "";
	const struct dirent *entry;
	DIR *entries = opendir(directory);
	bool found = false;
	int fd;

	while (entries != NULL && !found && (entry = readdir(entries)) != NULL) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
		fd = open(path, O_RDONLY | O_NONBLOCK);
		if (fd >= 0 && read(fd, content, SIZE) == SIZE &&
		    strncmp(content, begin, strlen(begin)) == 0)
			found = true;
		else
			found = is_found(path, begin);
		if (fd >= 0)
			close(fd);
	}
	if (entries != NULL)
		closedir(entries);
	return found;
}

static void make_files(struct keep_file files[COPIES + 1])
{
	static const char *const names[COPIES + 1] = {"k/kept", "c/1", "c/2"};
	static char paths[COPIES + 1][PATH_MAX + 8];
	const struct timespec times[] = {{.tv_sec = TIME_S}, {.tv_sec = TIME_S}};

	mkdir("k", 0755);
	mkdir("c", 0755);
	mkdir("other", 0755);
	mkdir("moved", 0755);
	if (race.deed == UNMOUNT_LAZILY && mount("none", "k", "tmpfs", 0, NULL) != 0)
		die("mount");
	for (size_t i = 0; i <= COPIES; i++) {
		write_file(names[i], "content");
		snprintf(paths[i], sizeof paths[i], "%s/%s", top, names[i]);
		if (utimensat(AT_FDCWD, paths[i], times, 0) != 0)
			die("utimensat");
		files[i] = (struct keep_file){.path = paths[i],
					      .size_bytes = SIZE,
					      .mtime_ns = INT64_C(1000000000) * TIME_S};
	}
	race.held = -1;
	if (race.deed != HELD_RESTORE && race.deed != MAPPED_BEFORE)
		return;
	race.held = open(target(), O_RDWR);
	race.mapping = map(race.held);
	/* The page is already dirty, so another store changes no time until the page is written. */
	race.mapping[SIZE - 1] = 1;
	race.mapping[SIZE - 1] = 0;
	futimens(race.held, times);
}

static void act(struct keep_file files[COPIES + 1])
{
	struct planned_act acts[COPIES];
	struct act_result results[COPIES];
	struct simhash_error error;
	struct journal journal;
	char move_to[PATH_MAX + 8];
	struct act_options options = {.move_to = move_to, .journal = &journal};
	struct actor actor;
	int status;

	snprintf(move_to, sizeof move_to, "%s/moved", top);
	for (size_t i = 0; i < COPIES; i++)
		acts[i] = (struct planned_act){
			.file = &files[i + 1], .kept = &files[0], .action = race.action};
	if (journal_create(&journal, "journal", "host", &error) != 0 ||
	    actor_init(&actor, &options, &error) != 0)
		die(error.message);
	race.is_armed = true;
	status = actor_act(&actor, acts, COPIES, results, &error);
	race.is_armed = false;
	if (status != 0 || journal_close(&journal, &error) != 0)
		die(error.message);
	for (size_t i = 0; i < COPIES; i++)
		free(results[i].to);
	actor_release(&actor);
}

/*
 * Without leases, a program can write and restore the time just before or after a call with which
 * the act itself changes the status time.
 */
static bool is_hidden_by_step(void)
{
	return (race.deed == WRITE_RESTORE || race.deed == HELD_RESTORE) && !race.has_leases &&
	       race.is_at_change;
}

/*
 * After the last copy was removed, only other programs can lose their changes to the kept file, and
 * so do programs that write to an open file without a name.
 */
static void check(void)
{
	const char *lost = NULL;

	if (is_hidden_by_step())
		return;
	if (race.had_gone < COPIES && !is_found(".", "content"))
		lost = "the content";
	if (race.has_written && (race.is_of_kept || race.had_gone == 0) &&
	    !is_found(".", "changed"))
		lost = "a written change";
	if (lost == NULL)
		return;
	fprintf(stderr, "%s is lost: action %d, %s, %s, %s leases, step %ld, %s\n", lost,
		(int)race.action, deed_names[race.deed], target(),
		race.has_leases ? "with" : "without", race.step, race.call);
	exit(1);
}

static void run_race(void)
{
	struct keep_file files[COPIES + 1];

	make_files(files);
	act(files);
	races++;
	if (race.held >= 0) {
		munmap(race.mapping, SIZE);
		close(race.held);
	}
	if (race.deed == MOUNT_OVER && race.is_done &&
	    umount2(race.is_of_kept ? "k" : "c", MNT_DETACH) != 0)
		die("umount");
	check();
	if (race.deed == UNMOUNT_LAZILY)
		umount2("k", MNT_DETACH);
	remove_below(".");
}

static void run_races(enum keep_action action, enum deed deed, bool is_of_kept, bool has_leases)
{
	for (long number = 1 + races % every;; number += every) {
		race = (struct race){.since_change = 9,
				     .action = action,
				     .deed = deed,
				     .is_of_kept = is_of_kept,
				     .has_leases = has_leases,
				     .step = number};
		run_race();
		if (!race.is_done)
			break;
	}
}

int main(int count, char **words)
{
	static const enum keep_action actions[] = {ACTION_DELETE, ACTION_HARDLINK, ACTION_MOVE};
	bool has_times = true, mounts = false;

	for (int i = 2; i < count; i++) {
		has_times = has_times && strcmp(words[i], "no-times") != 0;
		mounts = mounts || strcmp(words[i], "mounts") == 0;
		if (strncmp(words[i], "every=", 6) == 0)
			every = atol(words[i] + 6);
	}
	if (count < 2 || chdir(words[1]) != 0 || (top = realpath(".", NULL)) == NULL)
		die("usage: races DIR [no-times] [mounts] [every=N]");
	for (unsigned i = 0; i < 3 * DEEDS * 4; i++) {
		enum keep_action action = actions[i / 4 / DEEDS];
		enum deed deed = (enum deed)(i / 4 % DEEDS);
		bool is_of_kept = i % 2 == 0, has_leases = i % 4 < 2;
		if ((deed >= MOUNT_OVER && !mounts) ||
		    (deed == UNMOUNT_LAZILY && (!is_of_kept || action != ACTION_DELETE)) ||
		    ((deed == MAPPED_BEFORE || deed == MAP) && !has_leases && !has_times))
			continue;
		run_races(action, deed, is_of_kept, has_leases);
	}
	printf("%ld\n", races);
	return 0;
}
