/*
 * Walks over every entry of a tree with fstatat, and does nothing else.
 * SPDX-License-Identifier: MIT
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static unsigned long entries;

/* Takes over the descriptor. */
static void walk(int fd)
{
	DIR *stream = fdopendir(fd);
	struct dirent *entry;
	struct stat status;

	while (stream != NULL && (entry = readdir(stream)) != NULL) {
		const char *name = entry->d_name;
		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
		    fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		entries++;
		if (S_ISDIR(status.st_mode)) {
			int below =
				openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
			if (below >= 0)
				walk(below);
		}
	}
	if (stream != NULL)
		closedir(stream);
}

int main(int argc, char **argv)
{
	int fd = open(argc > 1 ? argv[1] : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0) {
		perror("walk");
		return 1;
	}
	walk(fd);
	printf("%lu entries\n", entries);
	return 0;
}
