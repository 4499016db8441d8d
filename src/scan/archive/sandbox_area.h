/*
 * Defines the memory and the packets that a sandbox and its process share. The memory has two slots
 * of records: the process fills one slot and reports it as ready while the other is read. The
 * packets of a socket carry requests, and messages that a slot is ready or free.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_SANDBOX_AREA_H
#define SIMHASH_SCAN_SANDBOX_AREA_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#include "scan/archive/unpacker.h"
#include "scan/file/container_kind.h"

/* A sanitizer needs memory for each address, so limits would be exceeded at once. */
#define HAS_SANITIZER 0
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#undef HAS_SANITIZER
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#undef HAS_SANITIZER
#define HAS_SANITIZER 1
#endif
#endif

#define SANDBOX_ARGUMENT "--unpack"
#define SANDBOX_IS_STUCK 3 /* the exit status of a process without progress */

/* The descriptors of the process. */
#define SANDBOX_SOCKET STDIN_FILENO
#define SANDBOX_MEMORY STDOUT_FILENO

/* An answer of unpacker_next. Its bytes follow, and then its name. */
struct sandbox_record {
	uint32_t answer, size, name_size;
	int32_t why;
	uint32_t is_first, is_last, is_text;
	uint32_t unused;
	struct document_dates dates;
};

#define SANDBOX_RECORD_MAX (sizeof(struct sandbox_record) + PIECE_MAX + 2 * CONTAINER_NAME_MAX)
#define SANDBOX_SLOT_BYTES ((size_t)640 * 1024)
#define SANDBOX_SLOTS 2

struct sandbox_area {
	/* The limit of the process, and the kinds that it can read; set before it starts. */
	uint64_t memory_bytes, kinds;
	uint64_t unused[6];
	struct sandbox_slot {
		/* The size of the complete records in bytes; set after the records. */
		_Atomic uint32_t used;
		uint32_t unused[15];
		uint8_t bytes[SANDBOX_SLOT_BYTES];
	} slots[SANDBOX_SLOTS];
};

/* Return the bytes of a record in a slot. */
static inline size_t sandbox_record_size(const struct sandbox_record *record)
{
	return (sizeof *record + record->size + record->name_size + 63) / 64 * 64;
}

/* A packet with the descriptor of the file. Other packets have one byte. */
struct sandbox_request {
	struct unpack_request unpack; /* its names are below */
	int64_t size_bytes;
	bool has_wanted;
	char names[4096]; /* the names of the file and of the requested member */
};

/*
 * Limit the data of that process, which cannot change the limit. If this fails, the limit of its
 * addresses remains.
 */
void sandbox_limit_data(pid_t pid, uint64_t bytes);

/*
 * Restrict this process: it can then only read open files, use the socket, and use this much
 * memory. Returns 0 or an errno.
 */
int sandbox_give_up_rights(uint64_t memory_bytes);

#endif
