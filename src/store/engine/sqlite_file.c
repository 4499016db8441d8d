/*
 * Makes, checks and names the file of an SQLite index, and recognizes network file systems.
 * SPDX-License-Identifier: MIT
 */
#include "store/engine/sqlite_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/basic/error.h"
#include "base/files/open_file.h"

#ifdef __linux__
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#elif !defined __sun
#include <sys/mount.h>
#include <sys/param.h>
#endif

/* ---- Making the file ---- */

/*
 * Create an index that only its owner can read and write; SQLite gives its other files the same
 * mode. Another thread may open the index immediately, so no descriptor of it is closed: see
 * close_content.
 */
static int create_private(const char *path, struct simhash_error *error)
{
	const char *name;
	int fd, parent_fd, status = 0;

	if (geteuid() != 0 && (mknod(path, S_IFREG | 0600, 0) == 0 || errno == EEXIST))
		return 0;
	parent_fd = open_parent(path, &name);
	fd = parent_fd < 0 ? -1 : open_file_at(parent_fd, name, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (fd >= 0) {
		status = give_to_owner(parent_fd, fd);
		close_content(fd);
	} else if (errno != EEXIST) {
		status = -1;
	}
	if (parent_fd >= 0)
		close_keeping_errno(parent_fd);
	return status == 0 ? 0 : error_set_errno(error, "cannot create index sqlite:%s", path);
}

/*
 * Return the target of a symbolic link, relative to the current directory; or the path if it is not
 * a link.
 */
static char *link_target(const char *path)
{
	char target[PATH_MAX], *joined;
	ssize_t size = readlink(path, target, sizeof target);
	const char *slash = strrchr(path, '/');
	int above = slash == NULL || target[0] == '/' ? 0 : (int)(slash + 1 - path);

	if (size <= 0)
		return strdup(path);
	return asprintf(&joined, "%.*s%.*s", above, path, (int)size, target) < 0 ? NULL : joined;
}

int sqlite_file_make(const char *path, struct simhash_error *error)
{
	struct stat status;
	char *target;
	int result = 0;

	if (create_private(path, error) != 0)
		return -1;
	/* Links that form a circle fail with ELOOP. */
	if (stat(path, &status) == 0 || errno != ENOENT)
		return 0;
	target = link_target(path);
	if (target == NULL)
		return error_set_memory(error);
	if (strcmp(target, path) != 0)
		result = sqlite_file_make(target, error);
	free(target);
	return result;
}

/* ---- Checking the file ---- */

int sqlite_file_check(const char *path, struct simhash_error *error)
{
	struct stat status;

	if (stat(path, &status) == 0)
		return S_ISREG(status.st_mode)
			       ? 0
			       : error_set(error, SIMHASH_E_SCHEMA,
					   "cannot open index sqlite:%s: not a regular file", path);
	if (errno == ENOENT) {
		error_set(error, SIMHASH_E_SYSTEM, "there is no index sqlite:%s yet%s", path,
			  lstat(path, &status) == 0
				  ? " (the target of this symbolic link does not exist): run "
				    "simhash first"
				  : ": run simhash first");
		error->system_errno = ENOENT;
		return -1;
	}
	return error_set_errno(error, "cannot open index sqlite:%s", path);
}

/* ---- The name of the file ---- */

void sqlite_file_warn_of_names(const struct store_location *where, const char *path)
{
	struct simhash_error warning;
	struct stat status;

	if (where->warning == NULL || stat(path, &status) != 0 || status.st_nlink <= 1)
		return;
	error_set(&warning, SIMHASH_E_SYSTEM,
		  "warning: index sqlite:%s has %llu names (hard links): always use the same name "
		  "and remove the others, because rows get lost if two names are used",
		  path, (unsigned long long)status.st_nlink);
	where->warning(where->context, warning.message);
}

void sqlite_file_warn_of_network(const struct store_location *where, const char *path,
				 const char *kind)
{
	struct simhash_error warning;

	if (where->warning == NULL || kind == NULL)
		return;
	error_set(&warning, SIMHASH_E_SYSTEM,
		  "warning: index sqlite:%s is on a network file system (%s): programs wait for "
		  "each other, and the index can be damaged if file locks do not work there; a "
		  "local disk or a server is safe",
		  path, kind);
	where->warning(where->context, warning.message);
}

char *sqlite_file_name(const char *path)
{
	bool is_special = path[0] == ':' || strncmp(path, "file:", 5) == 0;
	size_t size = strlen(path) + 3;
	char *copy = malloc(size);

	if (copy != NULL)
		snprintf(copy, size, "%s%s", is_special ? "./" : "", path);
	return copy;
}

char *sqlite_file_uri(const char *path)
{
	static const char end[] = "?immutable=1";
	char *uri = NULL;
	size_t size;
	FILE *memory = open_memstream(&uri, &size);

	if (memory == NULL)
		return NULL;
	fputs(path[0] == '/' ? "file://" : "file:", memory);
	for (; *path != '\0'; path++)
		if ((*path >= 'a' && *path <= 'z') || (*path >= 'A' && *path <= 'Z') ||
		    (*path >= '/' && *path <= '9'))
			fputc(*path, memory);
		else
			fprintf(memory, "%%%02x", (unsigned char)*path);
	fputs(end, memory);
	return close_text(memory, &uri) == 0 ? uri : NULL;
}

/* ---- The file system ---- */

#ifdef __linux__
#define FUSE 0x65735546UL

/* See statfs(2) and linux/magic.h, which lacks some numbers. */
static const struct {
	unsigned long type;
	const char *name;
} network_types[] = {
	{0x6969, "nfs"},	{0x517b, "smb"},	{0xff534d42, "cifs"},
	{0xfe534d42, "smb"},	{0x01021997, "9p"},	{FUSE, "fuse"},
	{0x5346414f, "afs"},	{0x6b414653, "afs"},	{0x73757245, "coda"},
	{0x564c, "ncp"},	{0x00c36400, "ceph"},	{0x0bd00bd0, "lustre"},
	{0x47504653, "gpfs"},	{0x19830326, "beegfs"}, {0x7461636f, "ocfs2"},
	{0x01161970, "gfs2"},	{0xaad7aaea, "panfs"},	{0x20030528, "orangefs"},
	{0x786f4256, "vboxsf"},
};

const char *network_file_system(const char *path)
{
	struct statfs system;
	struct stat file;

	if (statfs(path, &system) != 0)
		return NULL;
	/* A FUSE file system on a disk has the device number of the disk. */
	if (((unsigned long)system.f_type & 0xffffffff) == FUSE && stat(path, &file) == 0 &&
	    major(file.st_dev) != 0)
		return NULL;
	for (size_t i = 0; i < sizeof network_types / sizeof *network_types; i++)
		if (((unsigned long)system.f_type & 0xffffffff) == network_types[i].type)
			return network_types[i].name;
	return NULL;
}
#elif defined __APPLE__ || defined __FreeBSD__ || defined __OpenBSD__ || defined __DragonFly__
const char *network_file_system(const char *path)
{
	struct statfs system;

	return statfs(path, &system) == 0 && (system.f_flags & MNT_LOCAL) == 0 ? "not local" : NULL;
}
#else
const char *network_file_system(const char *path)
{
	(void)path;
	return NULL;
}
#endif
