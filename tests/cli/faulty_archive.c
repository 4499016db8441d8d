/*
 * A libarchive with faults, which is loaded before the real one. The name of a member selects the
 * fault.
 * SPDX-License-Identifier: MIT
 */
#include <archive.h>
#include <archive_entry.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

/* Find the real function that this library replaces. */
static void find_next(const char *name, void *function, size_t size)
{
	void *found = dlsym(RTLD_NEXT, name);

	memcpy(function, &found, size);
}

static int is_refused(long result)
{
	return result == -1 && errno == EPERM;
}

/* Is everything refused that a decoder does not need? */
static int all_is_refused(void)
{
	char *const no_words[] = {NULL};

	return is_refused(open("/etc/passwd", O_RDONLY)) &&
	       is_refused(open("written", O_WRONLY | O_CREAT, 0666)) &&
	       is_refused(socket(AF_INET, SOCK_STREAM, 0)) && is_refused(fork()) &&
	       is_refused(kill(getppid(), SIGTERM)) && is_refused(write(STDERR_FILENO, "!", 1)) &&
	       is_refused(execve("/bin/sh", no_words, no_words)) && is_refused(unlink("/x")) &&
	       mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
		       MAP_FAILED;
}

/* Use memory until none is left. */
static int use_memory(struct archive *archive)
{
	const size_t size = (size_t)256 << 20;
	unsigned char *bytes;

	/* Touching one page of each block is enough to know that it exists. */
	while ((bytes = malloc(size)) != NULL)
		((volatile unsigned char *)bytes)[size / 2] = 1;
	archive_set_error(archive, ENOMEM, "no memory");
	return ARCHIVE_FATAL;
}

/* Can the process use memory that only one process can have at a time? */
static int is_alone(void)
{
	unsigned char *bytes = malloc((size_t)700 << 20);
	int has = bytes != NULL;

	if (has)
		((volatile unsigned char *)bytes)[0] = 1;
	free(bytes);
	return has;
}

static void fail(const char *name)
{
	if (strcmp(name, "crash") == 0)
		raise(SIGSEGV);
	if (strcmp(name, "early") == 0 && is_alone())
		raise(SIGSEGV);
	if (strcmp(name, "abort") == 0)
		abort();
	while (strcmp(name, "endless") == 0)
		;
	while (strcmp(name, "asleep") == 0)
		sleep(1);
}

int archive_read_next_header(struct archive *archive, struct archive_entry **entry)
{
	int (*next)(struct archive *, struct archive_entry **);
	const char *name;
	int status;

	find_next("archive_read_next_header", &next, sizeof next);
	status = next(archive, entry);
	name = status == ARCHIVE_OK ? archive_entry_pathname(*entry) : NULL;
	if (name == NULL)
		return status;
	if (strcmp(name, "hungry") == 0 || (strcmp(name, "late") == 0 && !is_alone()))
		return use_memory(archive);
	if (strcmp(name, "nosy") == 0)
		archive_entry_set_pathname(*entry, all_is_refused() ? "refused" : "allowed");
	else
		fail(name);
	return status;
}

/* ---- Libraries that are loaded when they are needed ---- */

static void *image_library;

static int has_word(const char *text, const char *variable)
{
	const char *word = getenv(variable);

	return word != NULL && text != NULL && strstr(text, word) != NULL;
}

/* A library may be missing, or its file exists but cannot be loaded. */
void *dlopen(const char *file, int mode)
{
	void *(*load)(const char *, int);
	void *library = NULL;

	find_next("dlopen", &load, sizeof load);
	if (!has_word(file, "MISSING_LIBRARY") && !has_word(file, "BROKEN_LIBRARY"))
		library = load(file, mode);
	if (file != NULL && strstr(file, "libtsk") != NULL)
		image_library = library;
	return library;
}

int access(const char *path, int mode)
{
	int (*is_there)(const char *, int);

	find_next("access", &is_there, sizeof is_there);
	if (!has_word(path, "MISSING_LIBRARY"))
		return is_there(path, mode);
	errno = ENOENT;
	return -1;
}

/* Replaces the function with which libtsk finds the content of a file: one of the calls crashes. */
const void *tsk_fs_attrlist_get(const void *list, int type);
const void *tsk_fs_attrlist_get(const void *list, int type)
{
	static int calls;
	const char *faulty = getenv("FAULTY_IMAGE");
	void *found = dlsym(image_library, "tsk_fs_attrlist_get");
	const void *(*get)(const void *, int);

	memcpy(&get, &found, sizeof get);
	if (faulty != NULL && ++calls == atoi(faulty))
		raise(SIGSEGV);
	return get(list, type);
}

/* ---- The sandbox ---- */

/* Simulates a system without seccomp, if requested. */
int seccomp_load(const scmp_filter_ctx filter)
{
	int (*load)(const scmp_filter_ctx);

	find_next("seccomp_load", &load, sizeof load);
	return getenv("WITHOUT_SECCOMP") != NULL ? -ENOSYS : load(filter);
}
