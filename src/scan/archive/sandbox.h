/*
 * Unpacks archives in a restricted process, so that a fault in a decoder loses one archive and does
 * not end the run. The process can read the given file, write to memory that it shares with this
 * process, and use a limited amount of memory. The system rejects everything else.
 *
 * The processes of all threads share one half of the memory. If there are too many threads for this
 * half, some wait in sandbox_open. An archive that needs more than the share of one process is read
 * again by a single process, which has the other half.
 *
 *     struct sandbox_use use = {.warning = warn};
 *     sandbox = sandbox_new(&use);                   // one for each thread that reads archives
 *     if (sandbox_open(sandbox, &request, fd, size_bytes) == 0)
 *             while ((answer = sandbox_next(sandbox, stop, buffer, &piece)) == ...)
 *     sandbox_close(sandbox);
 *
 * The process is this program, started again by the first sandbox_open and after a fault. No answer
 * of the process is trusted. main() begins with:
 *
 *     if (sandbox_is_meant(argc, argv))
 *             return sandbox_serve();
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_SANDBOX_H
#define SIMHASH_SCAN_SANDBOX_H

#include "scan/archive/unpacker.h"
#include "simhash.h"

#define SANDBOX_MEMORY_BYTES ((int64_t)2 << 30) /* the default */

struct sandbox;
struct file_scanner;

/*
 * The state that the sandboxes of a run share. The caller keeps it until the last sandbox is freed.
 */
struct sandbox_use {
	/* Called at most once, from any thread; or NULL. */
	void (*warning)(void *context, const char *message);
	void *context;
	/* The number of threads that read archives at the same time; 0 counts as one. */
	unsigned threads;
	int64_t memory_bytes; /* the memory of all processes, at least 32 MiB; 0: the default */
	atomic_uint reading;  /* the number of sandboxes with an open file */
	atomic_flag was_told;
	atomic_flag reads_alone; /* is one of them reading an archive that needs much memory? */
};

/* Return the library that restricts the process, or NULL for a build without it. */
const char *sandbox_library(void);

/* NULL if memory is short. */
struct sandbox *sandbox_new(struct sandbox_use *use);
void sandbox_free(struct sandbox *sandbox); /* NULL is allowed */

/* Make a scanner read containers in a sandbox, which is freed with the scanner. */
int sandbox_isolate(struct file_scanner *scanner, struct sandbox_use *use,
		    struct simhash_error *error);

/* Like unpacker_open. -1 if the process cannot be started; the first time this is a warning. */
int sandbox_open(struct sandbox *sandbox, const struct unpack_request *request, int fd,
		 int64_t size_bytes);
void sandbox_close(struct sandbox *sandbox);

/* Like unpacker_next. A process that ends before the file does is a problem of the file. */
enum unpacked sandbox_next(struct sandbox *sandbox, const atomic_bool *stop, void *buffer,
			   struct piece *piece);

/* Was this process started by sandbox_open? */
bool sandbox_is_meant(int argc, char **argv);
/*
 * Unpack all requested files until the other process has ended. Returns the status of the process.
 */
int sandbox_serve(void);

#endif
