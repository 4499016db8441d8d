/*
 * Starts the process that unpacks, sends it requests, and checks all of its answers.
 * SPDX-License-Identifier: MIT
 */
#include "scan/archive/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "scan/archive/sandbox_area.h"
#include "scan/file/scan_file.h"

#define POLL_MS 50	    /* the interval at which to check for a stop */
#define ANSWERS_MAX 4000000 /* the maximum number of answers, enough for a million members */
#define SHARE_MIN ((uint64_t)16 << 20)
#define ROOM_MS 2 /* the interval at which to look for room */

extern char **environ;

struct sandbox {
	struct sandbox_use *use;
	pid_t pid; /* 0: there is no process */
	int socket;
	struct sandbox_area *area;
	unsigned kinds;	   /* that the process can read: all requested so far */
	bool is_unpacking; /* a file is open and not yet read to its end */
	bool is_in_member; /* a member has begun */
	bool has_slot;	   /* the slot is ready and is being read */
	bool has_ended;	   /* the process has ended; its last slot is being read */
	unsigned slot;	   /* the current or next slot */
	/* The number of bytes in the slot, and the number of these that were read. */
	size_t used, at;
	/* The bytes that members may still have; a correct process reports this limit itself. */
	int64_t bytes_left;
	unsigned answers_left;
	bool has_room;	 /* is one of the at most reading_max() sandboxes that may have a process */
	bool is_alone;	 /* uses the memory that only one process may use at a time */
	uint64_t passed; /* the number of answers for this file that the caller has received */
	struct sandbox_request request;
	int fd;			       /* the file; owned by the caller */
	char name[CONTAINER_NAME_MAX]; /* the name in the last answer */
};

struct sandbox *sandbox_new(struct sandbox_use *use)
{
	struct sandbox *sandbox = calloc(1, sizeof *sandbox);

	if (sandbox != NULL)
		sandbox->use = use;
	return sandbox;
}

int sandbox_isolate(struct file_scanner *scanner, struct sandbox_use *use,
		    struct simhash_error *error)
{
	scanner->sandbox = sandbox_new(use);
	scanner->free_sandbox = sandbox_free;
	return scanner->sandbox == NULL ? error_set_memory(error) : 0;
}

/* ---- The process ---- */

/* End the process. Returns its status. */
static int end_process(struct sandbox *sandbox)
{
	int status = 0;

	if (sandbox->pid == 0)
		return 0;
	kill(sandbox->pid, SIGKILL);
	while (waitpid(sandbox->pid, &status, 0) < 0 && errno == EINTR)
		;
	close(sandbox->socket);
	munmap(sandbox->area, sizeof *sandbox->area);
	sandbox->pid = 0;
	return status;
}

/* Return the memory that all processes share, and that a process reading alone gets. */
static uint64_t half_of_memory(const struct sandbox *sandbox)
{
	int64_t bytes = sandbox->use->memory_bytes;

	return (uint64_t)(bytes > 0 ? bytes : SANDBOX_MEMORY_BYTES) / 2;
}

/* Return the maximum number of processes at a time. */
static unsigned reading_max(const struct sandbox *sandbox)
{
	uint64_t most = half_of_memory(sandbox) / SHARE_MIN;

	return most == 0 ? 1 : most < UINT_MAX ? (unsigned)most : UINT_MAX;
}

/* Wait until the share of this process is available. A stopped run frees its shares. */
static void wait_for_room(struct sandbox *sandbox)
{
	const struct timespec pause = {.tv_nsec = ROOM_MS * 1000000L};
	atomic_uint *reading = &sandbox->use->reading;
	unsigned count = atomic_load(reading);

	while (!sandbox->has_room) {
		if (count < reading_max(sandbox)) {
			sandbox->has_room =
				atomic_compare_exchange_weak(reading, &count, count + 1);
		} else {
			nanosleep(&pause, NULL);
			count = atomic_load(reading);
		}
	}
}

/* A process that waits for its next file keeps its memory. If there are many threads, end it. */
static void make_room(struct sandbox *sandbox)
{
	if (!sandbox->has_room)
		return;
	if (sandbox->use->threads > reading_max(sandbox))
		end_process(sandbox);
	sandbox->has_room = false;
	atomic_fetch_sub(&sandbox->use->reading, 1);
}

void sandbox_free(struct sandbox *sandbox)
{
	if (sandbox != NULL)
		end_process(sandbox);
	free(sandbox);
}

/* Make shared memory whose size nobody can change, because access beyond its end causes SIGBUS. */
static int make_memory(struct sandbox *sandbox)
{
	int fd = descriptor_lift(memfd_create("simhash", MFD_CLOEXEC | MFD_ALLOW_SEALING));
	void *area = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, sizeof *sandbox->area) == 0 &&
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
		area = mmap(NULL, sizeof *sandbox->area, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (area != MAP_FAILED) {
		sandbox->area = area;
		sandbox->area->memory_bytes = half_of_memory(sandbox);
		sandbox->area->kinds = sandbox->kinds;
		return fd;
	}
	if (fd >= 0)
		close_keeping_errno(fd);
	return -1;
}

/*
 * Run a program that gets only the socket and the memory. `file` is an open descriptor of the
 * program. Returns 0 or an errno.
 */
static int spawn(struct sandbox *sandbox, int file, int socket, int memory)
{
	static char program[] = "simhash", argument[] = SANDBOX_ARGUMENT;
	char *arguments[] = {program, argument, NULL}, path[40];
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	int status = posix_spawn_file_actions_init(&actions);

	if (status != 0)
		return status;
	status = posix_spawnattr_init(&attributes);
	if (status != 0) {
		posix_spawn_file_actions_destroy(&actions);
		return status;
	}
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	sigemptyset(&none);
	sigfillset(&all);
	/* A separate process group: signals of the terminal must not reach it. */
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF |
						      POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setsigmask(&attributes, &none);
	status = posix_spawn_file_actions_adddup2(&actions, socket, SANDBOX_SOCKET);
	if (status == 0)
		status = posix_spawn_file_actions_adddup2(&actions, memory, SANDBOX_MEMORY);
	if (status == 0)
		status =
			posix_spawn(&sandbox->pid, path, &actions, &attributes, arguments, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return status;
}

/* Wait until the process reports that it has restricted itself. Returns 0 or an errno. */
static int wait_for_start(const struct sandbox *sandbox)
{
	int why = 0;
	ssize_t got;

	do
		got = recv(sandbox->socket, &why, sizeof why, 0);
	while (got < 0 && errno == EINTR);
	return got == (ssize_t)sizeof why ? why : ENOEXEC;
}

/*
 * Run this program again, even if its file was replaced. Under valgrind, run the program and not
 * valgrind. Returns 0 or an errno.
 */
static int spawn_self(struct sandbox *sandbox, int socket, int memory)
{
	int file = descriptor_lift(open("/proc/self/exe", O_PATH | O_CLOEXEC));
	int status = file < 0 ? errno : spawn(sandbox, file, socket, memory);

	if (file >= 0)
		close(file);
	return status;
}

/* Start the process with this memory. Returns 0 or an errno. */
static int start_with(struct sandbox *sandbox, int memory)
{
	int ends[2], status;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return errno;
	ends[1] = descriptor_lift(ends[1]);
	status = ends[1] < 0 ? errno : spawn_self(sandbox, ends[1], memory);
	if (ends[1] >= 0)
		close(ends[1]);
	if (status != 0) {
		sandbox->pid = 0;
		close(ends[0]);
		return status;
	}
	sandbox->socket = ends[0];
	return 0;
}

static void limit_memory(const struct sandbox *sandbox)
{
	unsigned threads = sandbox->use->threads;
	uint64_t share = half_of_memory(sandbox) / (threads == 0 ? 1 : threads);

	if (share < SHARE_MIN)
		share = SHARE_MIN;
	sandbox_limit_data(sandbox->pid, sandbox->is_alone ? half_of_memory(sandbox) : share);
}

/* Start the process. Returns 0 or an errno. */
static int start(struct sandbox *sandbox)
{
	int memory = make_memory(sandbox), status;

	if (memory < 0)
		return errno;
	status = start_with(sandbox, memory);
	close(memory);
	if (status != 0) {
		munmap(sandbox->area, sizeof *sandbox->area);
		return status;
	}
	status = wait_for_start(sandbox);
	if (status != 0)
		end_process(sandbox);
	else if (!HAS_SANITIZER)
		limit_memory(sandbox);
	return status;
}

static void warn(struct sandbox_use *use, int why)
{
	char message[256];

	if (atomic_flag_test_and_set(&use->was_told) || use->warning == NULL)
		return;
	snprintf(message, sizeof message,
		 "warning: archives are read without a sandbox, as with SIMHASH_SANDBOX=no: %s",
		 strerror(why));
	use->warning(use->context, message);
}

/* ---- Asking ---- */

/* Send a request with a descriptor. */
static bool ask(struct sandbox *sandbox, const struct sandbox_request *request, int fd)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {.bytes = {0}};
	struct iovec part = {(void *)(uintptr_t)request, sizeof *request};
	const struct msghdr message = {.msg_iov = &part,
				       .msg_iovlen = 1,
				       .msg_control = control.bytes,
				       .msg_controllen = sizeof control.bytes};
	ssize_t sent;

	control.align.cmsg_level = SOL_SOCKET;
	control.align.cmsg_type = SCM_RIGHTS;
	control.align.cmsg_len = CMSG_LEN(sizeof fd);
	memcpy(CMSG_DATA(&control.align), &fd, sizeof fd);
	do
		sent = sendmsg(sandbox->socket, &message, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent == (ssize_t)sizeof *request;
}

/* Returns false if the names do not fit; no file system has such names. */
static bool make_request(struct sandbox_request *request, const struct unpack_request *unpack,
			 int64_t size_bytes)
{
	struct bytes file = unpack->file_name, wanted = unpack->wanted;

	memset(request, 0, sizeof *request);
	if (file.size > sizeof request->names || wanted.size > sizeof request->names - file.size)
		return false;
	request->unpack.kind = unpack->kind;
	request->unpack.containers = unpack->containers;
	request->unpack.max_depth = unpack->max_depth;
	request->unpack.max_inflated_bytes = unpack->max_inflated_bytes;
	request->unpack.begin = unpack->begin;
	request->unpack.file_name.size = file.size;
	request->unpack.wanted.size = wanted.size;
	request->size_bytes = size_bytes;
	request->has_wanted = wanted.data != NULL;
	memcpy(request->names, file.data, file.size);
	if (request->has_wanted)
		memcpy(request->names + file.size, wanted.data, wanted.size);
	return true;
}

/* Request the file from its beginning. Returns 0 or an errno. */
static int open_from_start(struct sandbox *sandbox)
{
	unsigned kinds = sandbox->request.unpack.containers;
	int why = 0;

	if ((kinds & ~sandbox->kinds) != 0)
		end_process(sandbox);
	sandbox->kinds |= kinds;
	/* If the process was killed, start another one, but only once. */
	for (int tries = 0; tries < 2 && why == 0; tries++) {
		if (sandbox->pid == 0)
			why = start(sandbox);
		if (why != 0)
			break;
		for (unsigned i = 0; i < SANDBOX_SLOTS; i++)
			atomic_store(&sandbox->area->slots[i].used, 0);
		sandbox->is_unpacking = ask(sandbox, &sandbox->request, sandbox->fd);
		if (sandbox->is_unpacking) {
			sandbox->is_in_member = sandbox->has_slot = sandbox->has_ended = false;
			sandbox->slot = 0;
			sandbox->bytes_left = sandbox->request.unpack.max_inflated_bytes;
			sandbox->answers_left = ANSWERS_MAX;
			return 0;
		}
		end_process(sandbox);
	}
	return why == 0 ? EPIPE : why;
}

int sandbox_open(struct sandbox *sandbox, const struct unpack_request *unpack, int fd,
		 int64_t size_bytes)
{
	int why = make_request(&sandbox->request, unpack, size_bytes) ? 0 : ENAMETOOLONG;

	sandbox->fd = fd;
	sandbox->passed = 0;
	if (why == 0) {
		wait_for_room(sandbox);
		why = open_from_start(sandbox);
	}
	if (why == 0)
		return 0;
	make_room(sandbox);
	warn(sandbox->use, why);
	return -1;
}

/* End a process that got much memory, to free the memory. */
static void end_alone(struct sandbox *sandbox)
{
	if (!sandbox->is_alone)
		return;
	end_process(sandbox);
	sandbox->is_alone = false;
	atomic_flag_clear(&sandbox->use->reads_alone);
}

void sandbox_close(struct sandbox *sandbox)
{
	if (sandbox->is_unpacking)
		end_process(sandbox);
	sandbox->is_unpacking = false;
	end_alone(sandbox);
	make_room(sandbox);
}

/* ---- Answers ---- */

enum wait { SLOT_READY, PROCESS_ENDED, WAS_STOPPED };

static enum wait wait_for_slot(const struct sandbox *sandbox, const atomic_bool *stop)
{
	struct pollfd end = {.fd = sandbox->socket, .events = POLLIN};

	while (!atomic_load_explicit(stop, memory_order_relaxed)) {
		char word;
		ssize_t got;
		if (poll(&end, 1, POLL_MS) <= 0)
			continue;
		got = recv(sandbox->socket, &word, 1, 0);
		if (got > 0)
			return SLOT_READY;
		/* With ECONNRESET the process has ended, but its last packets can still be read. */
		if (got == 0 || (errno != EINTR && errno != ECONNRESET))
			return PROCESS_ENDED;
	}
	return WAS_STOPPED;
}

/* Switch to the next slot. */
static enum wait next_slot(struct sandbox *sandbox, const atomic_bool *stop)
{
	enum wait wait;

	if (sandbox->has_slot) {
		atomic_store(&sandbox->area->slots[sandbox->slot].used, 0);
		/* If the process has ended, the wait for its next slot detects this. */
		(void)!send(sandbox->socket, "", 1, MSG_NOSIGNAL);
		sandbox->slot = (sandbox->slot + 1) % SANDBOX_SLOTS;
	}
	sandbox->has_slot = false;
	wait = sandbox->has_ended ? PROCESS_ENDED : wait_for_slot(sandbox, stop);
	if (wait == WAS_STOPPED || (wait == PROCESS_ENDED && sandbox->has_ended))
		return wait;
	/* Content that was unpacked before the process ended is used. */
	sandbox->has_ended = wait == PROCESS_ENDED;
	sandbox->has_slot = true;
	sandbox->at = 0;
	sandbox->used = atomic_load_explicit(&sandbox->area->slots[sandbox->slot].used,
					     memory_order_acquire);
	if (sandbox->used > SANDBOX_SLOT_BYTES)
		sandbox->used = SANDBOX_SLOT_BYTES;
	return SLOT_READY;
}

/* The process has ended, or its answers are invalid: end it and report a problem. */
static enum unpacked give_up(struct sandbox *sandbox, struct piece *piece)
{
	int status = end_process(sandbox);
	bool is_slow = (WIFEXITED(status) && WEXITSTATUS(status) == SANDBOX_IS_STUCK) ||
		       (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU);

	sandbox->is_unpacking = false;
	*piece = (struct piece){.name = {"", 0},
				.why = is_slow ? CONTAINER_IS_ENDLESS : CONTAINER_IS_FATAL};
	return UNPACKED_TROUBLE;
}

/* Is this a possible answer of unpacker_next? Its sizes were checked. */
static bool is_sound(struct sandbox *sandbox, const struct sandbox_record *record)
{
	bool goes_on = record->answer == UNPACKED_PIECE && sandbox->is_in_member;

	if (record->size > sandbox->bytes_left || (!goes_on && sandbox->answers_left-- == 0))
		return false;
	sandbox->bytes_left -= record->size;
	switch (record->answer) {
	case UNPACKED_END:
		return true;
	case UNPACKED_TROUBLE:
		return record->why != 0 && record->size == 0;
	case UNPACKED_PIECE:
		return record->name_size > 0 && record->is_first <= 1 && record->is_last <= 1 &&
		       record->is_text <= 1 && (record->is_first != 0) != sandbox->is_in_member;
	default:
		return false;
	}
}

/* Copy an answer, then check the copy: the sandbox can still change the slot. False if invalid. */
static bool take_record(struct sandbox *sandbox, struct sandbox_record *record, void *buffer)
{
	const uint8_t *bytes = sandbox->area->slots[sandbox->slot].bytes + sandbox->at;
	size_t rest = sandbox->used - sandbox->at;

	if (rest < sizeof *record)
		return false;
	memcpy(record, bytes, sizeof *record);
	if (record->size > PIECE_MAX || record->name_size > sizeof sandbox->name ||
	    sandbox_record_size(record) > rest)
		return false;
	bytes += sizeof *record;
	memcpy(buffer, bytes, record->size);
	memcpy(sandbox->name, bytes + record->size, record->name_size);
	sandbox->at += sandbox_record_size(record);
	return memchr(sandbox->name, '\0', record->name_size) == NULL && is_sound(sandbox, record);
}

static enum unpacked next_answer(struct sandbox *sandbox, const atomic_bool *stop, void *buffer,
				 struct piece *piece)
{
	struct sandbox_record record;
	enum wait wait;

	if (!sandbox->is_unpacking)
		return UNPACKED_END;
	while (!sandbox->has_slot || sandbox->at == sandbox->used) {
		wait = next_slot(sandbox, stop);
		if (wait == WAS_STOPPED)
			return UNPACKED_STOPPED;
		if (wait == PROCESS_ENDED)
			return give_up(sandbox, piece);
	}
	if (!take_record(sandbox, &record, buffer))
		return give_up(sandbox, piece);
	sandbox->is_in_member = record.answer == UNPACKED_PIECE && record.is_last == 0;
	sandbox->is_unpacking = record.answer != UNPACKED_END;
	*piece = (struct piece){.name = {sandbox->name, record.name_size},
				.size = record.size,
				.is_first = record.is_first != 0,
				.is_last = record.is_last != 0,
				.is_text = record.is_text != 0,
				.dates = record.dates,
				.why = record.why};
	return (enum unpacked)record.answer;
}

/* Returns false if the run was told to stop. */
static bool wait_to_be_alone(struct sandbox *sandbox, const atomic_bool *stop)
{
	const struct timespec pause = {.tv_nsec = POLL_MS * 1000000L};

	while (atomic_flag_test_and_set(&sandbox->use->reads_alone)) {
		if (atomic_load_explicit(stop, memory_order_relaxed))
			return false;
		nanosleep(&pause, NULL);
	}
	sandbox->is_alone = true;
	return true;
}

/*
 * The share of this process was too small: read the file again with the memory that only one
 * process has at a time. Skip the answers that the caller already has, because unpacking gives the
 * same answers again.
 */
static enum unpacked read_alone(struct sandbox *sandbox, const atomic_bool *stop, void *buffer,
				struct piece *piece)
{
	enum unpacked answer = UNPACKED_PIECE;

	end_process(sandbox);
	sandbox->is_unpacking = false;
	if (!wait_to_be_alone(sandbox, stop))
		return UNPACKED_STOPPED;
	piece->why = open_from_start(sandbox);
	if (piece->why != 0)
		return UNPACKED_TROUBLE;
	for (uint64_t i = 0; i <= sandbox->passed; i++) {
		answer = next_answer(sandbox, stop, buffer, piece);
		/* This is also the end if the process has ended, because nothing follows. */
		if (answer == UNPACKED_STOPPED || !sandbox->is_unpacking)
			break;
	}
	return answer;
}

static bool lacks_memory(enum unpacked answer, const struct piece *piece)
{
	return answer == UNPACKED_TROUBLE && piece->why == ENOMEM;
}

enum unpacked sandbox_next(struct sandbox *sandbox, const atomic_bool *stop, void *buffer,
			   struct piece *piece)
{
	enum unpacked answer = next_answer(sandbox, stop, buffer, piece);

	if (lacks_memory(answer, piece) && !sandbox->is_alone && sandbox->use->threads > 1)
		answer = read_alone(sandbox, stop, buffer, piece);
	if (lacks_memory(answer, piece))
		piece->why = CONTAINER_NEEDS_MEMORY;
	sandbox->passed++;
	return answer;
}
