/*
 * A library to preload into simfind. It kills the process before the Nth call that changes names,
 * shares blocks or waits for the disk, or runs the command in $KILL_BY instead. N is $KILL_BEFORE.
 * With $KILL_MORE, calls that make files or change owners or times also count. With $NO_EXCHANGE, renameat2 does not exist. Each wait for the disk adds a byte to the file
 * $NOTE_WAITS.
 * SPDX-License-Identifier: MIT
 */
/* If a function has two names, such as openat and openat64, this replaces both. */
#undef _FILE_OFFSET_BITS
#undef _TIME_BITS

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))

static void count(void)
{
	static long calls, limit = -1;
	const char *text = getenv("KILL_BEFORE");

	if (limit < 0)
		limit = text == NULL ? 0 : atol(text);
	if (++calls == limit) {
		const char *command = getenv("KILL_BY");
		if (command == NULL)
			kill(getpid(), SIGKILL);
		unsetenv("LD_PRELOAD");
		if (command != NULL && system(command) != 0)
			abort();
	}
}

static int note_wait(void)
{
	const char *path = getenv("NOTE_WAITS");
	int fd = path == NULL ? -1 : open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);

	if (fd >= 0 && write(fd, ".", 1) != 1)
		abort();
	if (fd >= 0)
		close(fd);
	return 1;
}

#define HIDE_IF(condition, result, name, parameters, arguments) \
	PUBLIC result name parameters;                          \
	PUBLIC result name parameters                           \
	{                                                       \
		result(*real) parameters;                       \
		*(void **)&real = dlsym(RTLD_NEXT, #name);      \
		if (condition)                                  \
			count();                                \
		return real arguments;                          \
	}
#define HIDE(result, name, parameters, arguments) HIDE_IF(1, result, name, parameters, arguments)

HIDE_IF(note_wait(), int, fsync, (int fd), (fd))
HIDE_IF(note_wait(), int, fdatasync, (int fd), (fd))
HIDE_IF(note_wait(), int, syncfs, (int fd), (fd))
/* A link to "." only checks whether the other name exists. */
HIDE_IF(strcmp(a, ".") != 0, int, linkat,
	(int from, const char *a, int to, const char *b, int flags), (from, a, to, b, flags))
HIDE(int, renameat, (int from, const char *a, int to, const char *b), (from, a, to, b))
HIDE(int, renameat2, (int from, const char *a, int to, const char *b, unsigned flags),
     (from, a, to, b, getenv("NO_EXCHANGE") == NULL ? flags : ~0U))
HIDE(int, unlinkat, (int fd, const char *name, int flags), (fd, name, flags))
HIDE(int, mkdirat, (int fd, const char *name, unsigned mode), (fd, name, mode))
HIDE(int, fchmod, (int fd, unsigned mode), (fd, mode))
/* With $KILL_MORE. */
HIDE_IF(getenv("KILL_MORE") != NULL, int, fchown, (int fd, uid_t owner, gid_t group),
	(fd, owner, group))
HIDE_IF(getenv("KILL_MORE") != NULL, int, futimens, (int fd, const struct timespec times[2]),
	(fd, times))
/* A call that opens a file may also make it. */
#define HIDE_OPENING(name)                                         \
	PUBLIC int name(int fd, const char *path, int flags, ...); \
	PUBLIC int name(int fd, const char *path, int flags, ...)  \
	{                                                          \
		int (*real)(int, const char *, int, ...);          \
		mode_t mode = 0;                                   \
		va_list rest;                                      \
		*(void **)&real = dlsym(RTLD_NEXT, #name);         \
		if ((flags & O_CREAT) != 0) {                      \
			va_start(rest, flags);                     \
			mode = va_arg(rest, mode_t);               \
			va_end(rest);                              \
			if (getenv("KILL_MORE") != NULL)           \
				count();                           \
		}                                                  \
		return real(fd, path, flags, mode);                \
	}
HIDE_OPENING(openat)
HIDE_OPENING(openat64)
/* Ioctl has many uses; only this one shares blocks. */
HIDE_IF(request == FIDEDUPERANGE, int, ioctl, (int fd, unsigned long request, void *argument),
	(fd, request, argument))
