/*
 * A library to preload into a program under test: it makes chosen calls to the system, to SQLite
 * and to the client library of MySQL fail, and reports at the end what the program has not
 * released. For glibc on Linux. Environment variables control it:
 *
 *   FAULT=CLASS:N        the Nth call of the class fails, and no other
 *   FAULT=CLASS:N+       that one and all following ones
 *   FAULT=CLASS:N/       every Nth one
 *   FAULT_ERROR=NUMBER   with this error instead of the class's own
 *   FAULT_REPORT=FILE    at the end: "CLASS CALLS" of each class, then "live BLOCKS" and
 *                        "descriptors COUNT": the blocks that the program's own code has
 *                        not freed, and the descriptors that it has not closed
 *   FAULT_FILES=DIRECTORY
 *                        for `open`, `status` and `read`, only calls for files that are in this
 *                        directory at the start, counted for each file separately: the Nth call
 *                        for each file fails in any thread. The report also has "failed CALLS"
 *
 *   FAULT_SWAP=FILE      a call of the class `swap` finds this link instead of FILE:
 *   FAULT_LINK=LINK      FILE becomes FILE.kept before the Nth openat()
 *
 * Some classes do not fail: in `short`, the chosen reads return half of the requested bytes; in
 * `clock`, the chosen readings jump by a year, forward and back in turn. In `lost`, the server gets
 * the request, and then the connection is cut; in `silent`, the server does not answer any more,
 * and this is noticed at once.
 * SPDX-License-Identifier: MIT
 */
/* If a function has two names, such as open and open64, this replaces both. */
#undef _FILE_OFFSET_BITS
#undef _TIME_BITS

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))

enum class {
	MEMORY,
	OWN, /* memory that the program itself allocates, not a library for it */
	READ,
	WRITE,
	STREAM,
	OPEN,
	STATUS,
	DIRECTORY,
	SYNC,
	MAP,
	THREAD,
	SQLITE,
	MYSQL,
	LOST,
	SILENT,
	SHORT,
	CLOCK,
	SWAP,
	CLASSES
};

static const struct {
	const char *name;
	int error;
} classes[CLASSES] = {
	[MEMORY] = {"memory", ENOMEM},
	[OWN] = {"own", ENOMEM},
	[READ] = {"read", EIO},
	[WRITE] = {"write", ENOSPC},
	[STREAM] = {"stream", ENOSPC},
	[OPEN] = {"open", EMFILE},
	[STATUS] = {"status", EIO},
	[DIRECTORY] = {"directory", EIO},
	[SYNC] = {"sync", EIO},
	[MAP] = {"map", ENOMEM},
	[THREAD] = {"thread", EAGAIN},
	[SQLITE] = {"sqlite", 10 /* SQLITE_IOERR */},
	[MYSQL] = {"mysql", 2013 /* CR_SERVER_LOST */},
	[LOST] = {"lost", 0},
	[SILENT] = {"silent", 0},
	[SHORT] = {"short", 0},
	[CLOCK] = {"clock", 0},
	[SWAP] = {"swap", 0},
};

static enum class chosen = CLASSES;
static long chosen_call;
static char repeats; /* '\0', '+', '/' */
static int fault_error;
static atomic_long calls[CLASSES];
static const char *report_name;
static uintptr_t program_begin, program_end;

#define FILES_MAX 64

/* The files of FAULT_FILES. */
static struct {
	ino_t inode;
	atomic_long calls; /* calls of the chosen class for this file */
} files[FILES_MAX];
static dev_t files_device;
static int file_count;
static bool has_files;
static atomic_long failed_calls;

static bool is_due(enum class class)
{
	long call = atomic_fetch_add(&calls[class], 1) + 1;

	if (class != chosen || has_files)
		return false;
	if (repeats == '+')
		return call >= chosen_call;
	if (repeats == '/')
		return call % chosen_call == 0;
	return call == chosen_call;
}

static bool fails(enum class class)
{
	if (!is_due(class))
		return false;
	errno = fault_error;
	return true;
}

/* Must a call for a file fail? */
static bool fails_about(enum class class, const struct stat *about)
{
	if (!has_files || class != chosen)
		return fails(class);
	for (int i = 0; i < file_count; i++) {
		if (files[i].inode != about->st_ino || files_device != about->st_dev ||
		    atomic_fetch_add(&files[i].calls, 1) + 1 != chosen_call)
			continue;
		atomic_fetch_add(&failed_calls, 1);
		errno = fault_error;
		return true;
	}
	return false;
}

static bool fails_on(enum class class, int fd)
{
	struct stat about = {.st_ino = 0};
	static __typeof__(&fstat) next;

	if (has_files) {
		*(void **)&next = dlsym(RTLD_NEXT, "fstat");
		(void)!next(fd, &about);
	}
	return fails_about(class, &about);
}

static bool fails_at(enum class class, int directory, const char *path)
{
	struct stat about = {.st_ino = 0};
	static __typeof__(&fstatat) next;

	if (has_files) {
		*(void **)&next = dlsym(RTLD_NEXT, "fstatat");
		(void)!next(directory, path, &about, AT_EMPTY_PATH);
	}
	return fails_about(class, &about);
}

static bool is_in_program(const void *caller)
{
	return (uintptr_t)caller >= program_begin && (uintptr_t)caller < program_end;
}

/* Libraries call functions with the same names. */
#define IS_OURS() is_in_program(__builtin_return_address(0))

/*
 * Do not disturb functions that a compiler adds for the end of the program, for example to write
 * counts. Functions for the end run in reverse order of their registration.
 */
static void disarm(void)
{
	chosen = CLASSES;
}

static void disarm_at_end(void)
{
	atexit(disarm);
}

static bool memory_fails(const void *caller)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	bool own_fails = false;

	if (is_in_program(caller)) {
		pthread_once(&once, disarm_at_end);
		own_fails = fails(OWN);
	}

	return fails(MEMORY) || own_fails;
}

/* ---- The blocks of the program itself ---- */

#define SLOTS (1U << 16)

static struct {
	void *block;
	const void *caller;
} slots[SLOTS];
static pthread_mutex_t slots_mutex = PTHREAD_MUTEX_INITIALIZER;

static unsigned slot_of(const void *block)
{
	return (unsigned)(((uintptr_t)block >> 4) * 2654435761U) % SLOTS;
}

static void note_block(void *block, const void *caller)
{
	if (block == NULL || !is_in_program(caller))
		return;
	pthread_mutex_lock(&slots_mutex);
	for (unsigned i = slot_of(block), n = 0; n < SLOTS; i = (i + 1) % SLOTS, n++) {
		if (slots[i].block == NULL || slots[i].block == (void *)&slots) {
			slots[i].block = block;
			slots[i].caller = caller;
			break;
		}
	}
	pthread_mutex_unlock(&slots_mutex);
}

static void forget_block(const void *block)
{
	pthread_mutex_lock(&slots_mutex);
	for (unsigned i = slot_of(block), n = 0; n < SLOTS && slots[i].block != NULL;
	     i = (i + 1) % SLOTS, n++) {
		if (slots[i].block == block) {
			slots[i].block = (void *)&slots; /* was used: a search continues here */
			break;
		}
	}
	pthread_mutex_unlock(&slots_mutex);
}

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

PUBLIC void *malloc(size_t size)
{
	void *block = memory_fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);

	note_block(block, __builtin_return_address(0));
	return block;
}

PUBLIC void *calloc(size_t count, size_t size)
{
	void *block = memory_fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);

	note_block(block, __builtin_return_address(0));
	return block;
}

PUBLIC void *realloc(void *old, size_t size)
{
	void *block;

	if (memory_fails(__builtin_return_address(0)))
		return NULL;
	/* Forget it first, because another thread may get the same address meanwhile. */
	if (old != NULL)
		forget_block(old);
	block = __libc_realloc(old, size);
	note_block(block, __builtin_return_address(0));
	return block;
}

PUBLIC void *aligned_alloc(size_t alignment, size_t size)
{
	void *block = memory_fails(__builtin_return_address(0)) ? NULL
								: __libc_memalign(alignment, size);

	note_block(block, __builtin_return_address(0));
	return block;
}

PUBLIC int posix_memalign(void **block, size_t alignment, size_t size)
{
	if (memory_fails(__builtin_return_address(0)))
		return ENOMEM;
	*block = __libc_memalign(alignment, size);
	note_block(*block, __builtin_return_address(0));
	return *block == NULL ? ENOMEM : 0;
}

PUBLIC void free(void *block)
{
	if (block != NULL)
		forget_block(block);
	__libc_free(block);
}

/* ---- Files ---- */

/* Finds the function that ours replaces. */
#define NEXT(name)                     \
	static __typeof__(&name) next; \
	if (next == NULL)              \
	*(void **)&next = dlsym(RTLD_NEXT, #name)

static size_t shortened(size_t size)
{
	return size > 1 && is_due(SHORT) ? size / 2 : size;
}

PUBLIC ssize_t read(int fd, void *buffer, size_t size)
{
	NEXT(read);
	return fails_on(READ, fd) ? -1 : next(fd, buffer, shortened(size));
}

/* SQLite also reads with these calls, and treats a short read as the end of its file. */
static size_t shortened_file(int fd, size_t size)
{
	(void)fd;
	return size >= 65536 ? shortened(size) : size;
}

PUBLIC ssize_t pread(int fd, void *buffer, size_t size, off_t offset)
{
	NEXT(pread);
	return fails_on(READ, fd) ? -1 : next(fd, buffer, shortened_file(fd, size), offset);
}

PUBLIC ssize_t pread64(int fd, void *buffer, size_t size, off64_t offset)
{
	NEXT(pread64);
	return fails_on(READ, fd) ? -1 : next(fd, buffer, shortened_file(fd, size), offset);
}

/* Only from the page cache: programs then call pread. */
PUBLIC ssize_t preadv2(int fd, const struct iovec *parts, int count, off_t offset, int flags)
{
	(void)fd, (void)parts, (void)count, (void)offset, (void)flags;
	errno = EOPNOTSUPP;
	return -1;
}

PUBLIC ssize_t preadv64v2(int fd, const struct iovec *parts, int count, off64_t offset, int flags)
{
	(void)fd, (void)parts, (void)count, (void)offset, (void)flags;
	errno = EOPNOTSUPP;
	return -1;
}

PUBLIC ssize_t write(int fd, const void *buffer, size_t size)
{
	NEXT(write);
	return fails(WRITE) ? -1 : next(fd, buffer, size);
}

PUBLIC ssize_t pwrite(int fd, const void *buffer, size_t size, off_t offset)
{
	NEXT(pwrite);
	return fails(WRITE) ? -1 : next(fd, buffer, size, offset);
}

PUBLIC ssize_t pwrite64(int fd, const void *buffer, size_t size, off64_t offset)
{
	NEXT(pwrite64);
	return fails(WRITE) ? -1 : next(fd, buffer, size, offset);
}

/* Streams in memory and standard error do not fail. */
static bool stream_fails(FILE *stream)
{
	if (stream == NULL || stream == stderr || fileno(stream) < 0 || !fails(STREAM))
		return false;
	stream->_flags |= 0x20; /* the flag that ferror() reads */
	return true;
}

PUBLIC size_t fwrite(const void *data, size_t size, size_t count, FILE *stream)
{
	NEXT(fwrite);
	return stream_fails(stream) ? 0 : next(data, size, count, stream);
}

PUBLIC int fflush(FILE *stream)
{
	NEXT(fflush);
	return stream_fails(stream) ? EOF : next(stream);
}

PUBLIC int fclose(FILE *stream)
{
	bool failed = stream_fails(stream);
	NEXT(fclose);
	return next(stream) != 0 || failed ? EOF : 0;
}

/* Simulates that somebody replaced a file or directory by a link after it was listed. */
static void swap_when_due(void)
{
	const char *file = getenv("FAULT_SWAP"), *link = getenv("FAULT_LINK");
	char kept[4096];

	if (!is_due(SWAP) || file == NULL || link == NULL)
		return;
	snprintf(kept, sizeof kept, "%s.kept", file);
	if (rename(file, kept) != 0 || rename(link, file) != 0)
		abort();
}

static unsigned mode_of(int flags, va_list arguments)
{
	return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, unsigned) : 0;
}

#define OPEN_BY(name)                                                                 \
	PUBLIC int name(const char *path, int flags, ...)                             \
	{                                                                             \
		va_list arguments;                                                    \
		unsigned mode;                                                        \
		NEXT(name);                                                           \
		va_start(arguments, flags);                                           \
		mode = mode_of(flags, arguments);                                     \
		va_end(arguments);                                                    \
		return fails_at(OPEN, AT_FDCWD, path) ? -1 : next(path, flags, mode); \
	}
#define OPEN_AT_BY(name)                                                                          \
	PUBLIC int name(int directory, const char *path, int flags, ...)                          \
	{                                                                                         \
		va_list arguments;                                                                \
		unsigned mode;                                                                    \
		NEXT(name);                                                                       \
		va_start(arguments, flags);                                                       \
		mode = mode_of(flags, arguments);                                                 \
		va_end(arguments);                                                                \
		swap_when_due();                                                                  \
		return fails_at(OPEN, directory, path) ? -1 : next(directory, path, flags, mode); \
	}
OPEN_BY(open)
OPEN_BY(open64)
OPEN_AT_BY(openat)
OPEN_AT_BY(openat64)

PUBLIC FILE *fopen(const char *path, const char *mode)
{
	NEXT(fopen);
	return fails(OPEN) ? NULL : next(path, mode);
}

PUBLIC FILE *fopen64(const char *path, const char *mode)
{
	NEXT(fopen64);
	return fails(OPEN) ? NULL : next(path, mode);
}

#define STATUS_BY(name, type)                                                      \
	PUBLIC int name(const char *path, struct type *status)                     \
	{                                                                          \
		NEXT(name);                                                        \
		return fails_at(STATUS, AT_FDCWD, path) ? -1 : next(path, status); \
	}
STATUS_BY(stat, stat)
STATUS_BY(stat64, stat64)
STATUS_BY(lstat, stat)
STATUS_BY(lstat64, stat64)

PUBLIC int fstat(int fd, struct stat *status)
{
	NEXT(fstat);
	return fails_on(STATUS, fd) ? -1 : next(fd, status);
}

PUBLIC int fstat64(int fd, struct stat64 *status)
{
	NEXT(fstat64);
	return fails_on(STATUS, fd) ? -1 : next(fd, status);
}

PUBLIC int fstatat(int fd, const char *path, struct stat *status, int flags)
{
	NEXT(fstatat);
	return fails_at(STATUS, fd, path) ? -1 : next(fd, path, status, flags);
}

PUBLIC int fstatat64(int fd, const char *path, struct stat64 *status, int flags)
{
	NEXT(fstatat64);
	return fails_at(STATUS, fd, path) ? -1 : next(fd, path, status, flags);
}

PUBLIC int statx(int fd, const char *path, int flags, unsigned mask, struct statx *status)
{
	NEXT(statx);
	return fails_at(STATUS, fd, path) ? -1 : next(fd, path, flags, mask, status);
}

PUBLIC char *realpath(const char *path, char *resolved)
{
	NEXT(realpath);
	return fails(STATUS) ? NULL : next(path, resolved);
}

PUBLIC DIR *opendir(const char *path)
{
	NEXT(opendir);
	return fails(DIRECTORY) ? NULL : next(path);
}

PUBLIC DIR *fdopendir(int fd)
{
	NEXT(fdopendir);
	return fails(DIRECTORY) ? NULL : next(fd);
}

PUBLIC struct dirent *readdir(DIR *directory)
{
	NEXT(readdir);
	return fails(DIRECTORY) ? NULL : next(directory);
}

PUBLIC struct dirent64 *readdir64(DIR *directory)
{
	NEXT(readdir64);
	return fails(DIRECTORY) ? NULL : next(directory);
}

PUBLIC ssize_t getdents64(int fd, void *buffer, size_t size)
{
	NEXT(getdents64);
	return fails(DIRECTORY) ? -1 : next(fd, buffer, size);
}

#define SYNC_BY(name)                               \
	PUBLIC int name(int fd)                     \
	{                                           \
		NEXT(name);                         \
		return fails(SYNC) ? -1 : next(fd); \
	}
SYNC_BY(fsync)
SYNC_BY(fdatasync)

PUBLIC int ftruncate(int fd, off_t size)
{
	NEXT(ftruncate);
	return fails(SYNC) ? -1 : next(fd, size);
}

PUBLIC int ftruncate64(int fd, off64_t size)
{
	NEXT(ftruncate64);
	return fails(SYNC) ? -1 : next(fd, size);
}

PUBLIC void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
	NEXT(mmap);
	return fails(MAP) ? MAP_FAILED : next(address, size, protection, flags, fd, offset);
}

PUBLIC void *mmap64(void *address, size_t size, int protection, int flags, int fd, off64_t offset)
{
	NEXT(mmap64);
	return fails(MAP) ? MAP_FAILED : next(address, size, protection, flags, fd, offset);
}

PUBLIC int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*body)(void *), void *argument)
{
	NEXT(pthread_create);
	return fails(THREAD) ? fault_error : next(thread, attributes, body, argument);
}

PUBLIC int clock_gettime(clockid_t clock, struct timespec *now)
{
	NEXT(clock_gettime);
	int status = next(clock, now);

	/* Only the real-time clock can jump; other clocks do not change. */
	if (clock == CLOCK_REALTIME && is_due(CLOCK))
		now->tv_sec += atomic_load(&calls[CLOCK]) / chosen_call % 2 == 0 ? 31556952
										 : -31556952;
	return status;
}

/* ---- SQLite: a call that fails does nothing, and the handle has the error ---- */

static _Thread_local bool sqlite_failed;

#define SQLITE_BY(name, parameters, arguments)                       \
	extern int name parameters;                                  \
	PUBLIC int name parameters                                   \
	{                                                            \
		NEXT(name);                                          \
		sqlite_failed = IS_OURS() && fails(SQLITE);          \
		return sqlite_failed ? fault_error : next arguments; \
	}
SQLITE_BY(sqlite3_prepare_v2,
	  (void *handle, const char *sql, int size, void **statement, const char **tail),
	  (handle, sql, size, statement, tail))
SQLITE_BY(sqlite3_prepare_v3,
	  (void *handle, const char *sql, int size, unsigned flags, void **statement,
	   const char **tail),
	  (handle, sql, size, flags, statement, tail))
SQLITE_BY(sqlite3_step, (void *statement), (statement))
SQLITE_BY(sqlite3_exec,
	  (void *handle, const char *sql, void *callback, void *context, char **message),
	  (handle, sql, callback, context, message))

#define SQLITE_ERROR_BY(name)                                      \
	extern int name(void *handle);                             \
	PUBLIC int name(void *handle)                              \
	{                                                          \
		NEXT(name);                                        \
		return sqlite_failed ? fault_error : next(handle); \
	}
SQLITE_ERROR_BY(sqlite3_errcode)
SQLITE_ERROR_BY(sqlite3_extended_errcode)

extern const char *sqlite3_errmsg(void *handle);
PUBLIC const char *sqlite3_errmsg(void *handle)
{
	NEXT(sqlite3_errmsg);
	return sqlite_failed ? "a fault of the test" : next(handle);
}

/* ---- MySQL: fails like a lost connection, or with FAULT_ERROR ---- */

static _Thread_local bool mysql_failed;

#define MYSQL_BY(type, name, failure, parameters, arguments)            \
	extern type name parameters;                                    \
	PUBLIC type name parameters                                     \
	{                                                               \
		NEXT(name);                                             \
		mysql_failed = IS_OURS() && fails(MYSQL);               \
		return mysql_failed ? (type)(failure) : next arguments; \
	}
MYSQL_BY(void *, mysql_init, NULL, (void *handle), (handle))
MYSQL_BY(void *, mysql_stmt_init, NULL, (void *handle), (handle))
MYSQL_BY(void *, mysql_real_connect, NULL,
	 (void *handle, const char *host, const char *user, const char *password,
	  const char *database, unsigned port, const char *socket, unsigned long flags),
	 (handle, host, user, password, database, port, socket, flags))
MYSQL_BY(int, mysql_real_query, 1, (void *handle, const char *sql, unsigned long size),
	 (handle, sql, size))
MYSQL_BY(void *, mysql_store_result, NULL, (void *handle), (handle))
MYSQL_BY(int, mysql_stmt_prepare, 1, (void *statement, const char *sql, unsigned long size),
	 (statement, sql, size))
MYSQL_BY(int, mysql_stmt_execute, 1, (void *statement), (statement))
MYSQL_BY(int, mysql_stmt_fetch, 1, (void *statement), (statement))
MYSQL_BY(int, mysql_stmt_store_result, 1, (void *statement), (statement))

#define MYSQL_ERROR_BY(name)                                                \
	extern unsigned name(void *handle);                                 \
	PUBLIC unsigned name(void *handle)                                  \
	{                                                                   \
		NEXT(name);                                                 \
		return mysql_failed ? (unsigned)fault_error : next(handle); \
	}
MYSQL_ERROR_BY(mysql_errno)
MYSQL_ERROR_BY(mysql_stmt_errno)

#define MYSQL_MESSAGE_BY(name)                                              \
	extern const char *name(void *handle);                              \
	PUBLIC const char *name(void *handle)                               \
	{                                                                   \
		NEXT(name);                                                 \
		return mysql_failed ? "a fault of the test" : next(handle); \
	}
MYSQL_MESSAGE_BY(mysql_error)
MYSQL_MESSAGE_BY(mysql_stmt_error)

PUBLIC ssize_t send(int socket, const void *data, size_t size, int flags)
{
	ssize_t sent;

	NEXT(send);
	sent = next(socket, data, size, flags);
	if (is_due(LOST))
		shutdown(socket, SHUT_RDWR);
	if (is_due(SILENT))
		shutdown(socket, SHUT_RD);
	return sent;
}

/* ---- Begin and end ---- */

static int find_program(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	(void)context;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X)) {
			program_begin = begin;
			program_end = begin + info->dlpi_phdr[i].p_memsz;
		}
	}
	return 1; /* the program itself is first */
}

static void list_files(const char *name)
{
	DIR *directory = opendir(name);
	const struct dirent *entry;
	struct stat own;

	if (directory == NULL)
		abort();
	while ((entry = readdir(directory)) != NULL)
		if (fstatat(dirfd(directory), entry->d_name, &own, 0) == 0 &&
		    S_ISREG(own.st_mode) && file_count < FILES_MAX) {
			files[file_count++].inode = own.st_ino;
			files_device = own.st_dev;
		}
	closedir(directory);
	has_files = true;
}

__attribute__((constructor)) static void begin(void)
{
	const char *order = getenv("FAULT"), *error = getenv("FAULT_ERROR");
	const char *directory = getenv("FAULT_FILES");

	report_name = getenv("FAULT_REPORT");
	dl_iterate_phdr(find_program, NULL);
	if (directory != NULL)
		list_files(directory);
	for (int i = 0; order != NULL && i < CLASSES; i++) {
		size_t length = strlen(classes[i].name);
		char *end;

		if (strncmp(order, classes[i].name, length) != 0 || order[length] != ':')
			continue;
		chosen_call = strtol(order + length + 1, &end, 10);
		repeats = *end;
		fault_error = error != NULL ? atoi(error) : classes[i].error;
		atomic_store(&calls[i], 0);
		chosen = (enum class)i;
	}
}

__attribute__((destructor)) static void end(void)
{
	int live = 0, descriptors = 0;
	FILE *report;

	chosen = CLASSES;
	if (report_name == NULL)
		return;
	for (unsigned i = 0; i < SLOTS; i++)
		live += slots[i].block != NULL && slots[i].block != (void *)&slots;
	for (int fd = 3; fd < 1024; fd++)
		descriptors += fcntl(fd, F_GETFD) >= 0;
	report = fopen(report_name, "w");
	if (report == NULL)
		return;
	for (int i = 0; i < CLASSES; i++)
		fprintf(report, "%s %ld\n", classes[i].name, atomic_load(&calls[i]));
	fprintf(report, "live %d\ndescriptors %d\n", live, descriptors);
	if (has_files)
		fprintf(report, "failed %ld\n", atomic_load(&failed_calls));
	for (unsigned i = 0; i < SLOTS; i++)
		if (slots[i].block != NULL && slots[i].block != (void *)&slots)
			fprintf(report, "at %#lx\n",
				(unsigned long)((uintptr_t)slots[i].caller - program_begin));
	fclose(report);
}
