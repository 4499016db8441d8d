/*
 * Runs the process that unpacks: takes requests from the socket and puts answers into shared
 * memory.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "scan/archive/sandbox.h"
#include "scan/archive/sandbox_area.h"

/* The processor time, in seconds, after which a decoder without a new byte or member is stuck. */
#define STUCK_S 60

struct server {
	struct sandbox_area *area;
	unsigned slot, free; /* the current slot, and the number of free slots after it */
	size_t used;	     /* the number of bytes in the slot */
};

/* ---- A decoder without progress, or without a reader ---- */

static struct unpacker *_Atomic watched; /* the current unpacker, or NULL */

/*
 * Does the other process still exist? PR_SET_PDEATHSIG would already end this process with the
 * thread that started it, although another thread uses it.
 */
static bool is_wanted(void)
{
	char word;
	struct iovec part = {&word, sizeof word};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

	return recvmsg(SANDBOX_SOCKET, &message, MSG_PEEK | MSG_DONTWAIT) != 0;
}

/* Called after each second of processor time. */
static void on_tick(int number)
{
	static const struct unpacker *last;
	static int64_t last_progress;
	static int idle_s;
	const struct unpacker *now = watched;
	int64_t progress = now == NULL ? 0 : unpacker_progress(now);
	int saved_errno = errno;

	(void)number;
	idle_s = now != NULL && now == last && progress == last_progress ? idle_s + 1 : 0;
	if (idle_s == STUCK_S)
		_exit(SANDBOX_IS_STUCK);
	if (!is_wanted())
		_exit(EXIT_SUCCESS);
	last = now;
	last_progress = progress;
	errno = saved_errno;
}

static int begin_ticks(void)
{
	const struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
	const struct itimerval each = {.it_interval = {.tv_sec = 1}, .it_value = {.tv_sec = 1}};

	return sigaction(SIGPROF, &action, NULL) == 0 ? setitimer(ITIMER_PROF, &each, NULL) : -1;
}

/* ---- Packets ---- */

/*
 * Receive the next packet: its size, or 0 if the other process has ended. *fd is its descriptor, or
 * -1.
 */
static size_t receive(struct sandbox_request *request, int *fd)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec part = {request, sizeof *request};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 .msg_controllen = sizeof control.bytes};
	const struct cmsghdr *header;
	ssize_t got;

	do
		got = recvmsg(SANDBOX_SOCKET, &message, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	header = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	*fd = -1;
	if (header != NULL && header->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(header), sizeof *fd);
	return got > 0 ? (size_t)got : 0;
}

static bool send_word(const void *word, size_t size)
{
	return sendto(SANDBOX_SOCKET, word, size, MSG_NOSIGNAL, NULL, 0) == (ssize_t)size;
}

/* ---- Slots ---- */

/*
 * Report that the slot is ready, and wait until the next slot is free. False if the other process
 * has ended.
 */
static bool pass_on(struct server *server, struct sandbox_request *request)
{
	int fd;

	if (!send_word("", 1))
		return false;
	while (server->free == 0) {
		if (receive(request, &fd) != 1)
			return false;
		server->free++;
	}
	server->free--;
	server->slot = (server->slot + 1) % SANDBOX_SLOTS;
	server->used = 0;
	return true;
}

/* Return the place for the bytes of the next record. */
static uint8_t *record_bytes(const struct server *server)
{
	return server->area->slots[server->slot].bytes + server->used +
	       sizeof(struct sandbox_record);
}

/* Complete a record; its bytes are already in place. */
static void add_record(struct server *server, enum unpacked answer, const struct piece *piece)
{
	struct sandbox_slot *slot = &server->area->slots[server->slot];
	const struct sandbox_record record = {.answer = answer,
					      .size = (uint32_t)piece->size,
					      .name_size = (uint32_t)piece->name.size,
					      .why = piece->why,
					      .is_first = piece->is_first,
					      .is_last = piece->is_last,
					      .is_text = piece->is_text,
					      .dates = piece->dates};

	memcpy(slot->bytes + server->used, &record, sizeof record);
	if (piece->name.size > 0)
		memcpy(record_bytes(server) + piece->size, piece->name.data, piece->name.size);
	server->used += sandbox_record_size(&record);
	atomic_store_explicit(&slot->used, (uint32_t)server->used, memory_order_release);
}

/* Send all answers of the unpacker. False if the other process has ended. */
static bool unpack(struct server *server, struct sandbox_request *request,
		   struct unpacker *unpacker)
{
	enum unpacked answer;

	do {
		struct piece piece = {.size = 0};
		if (server->used + SANDBOX_RECORD_MAX > SANDBOX_SLOT_BYTES &&
		    !pass_on(server, request))
			return false;
		answer = unpacker_next(unpacker, record_bytes(server), &piece);
		add_record(server, answer, &piece);
	} while (answer != UNPACKED_END);
	return true;
}

static bool serve(struct server *server, struct sandbox_request *request, int fd)
{
	static const atomic_bool never_stop;
	const struct piece no_memory = {.why = ENOMEM}, end = {.why = 0};
	struct unpack_request asked = request->unpack;
	char names[sizeof request->names];
	struct unpacker *unpacker;
	bool is_asked = true;

	memcpy(names, request->names, sizeof names);
	asked.file_name.data = names;
	asked.wanted.data = request->has_wanted ? names + asked.file_name.size : NULL;
	server->slot = 0;
	server->free = SANDBOX_SLOTS - 1;
	server->used = 0;
	unpacker = unpacker_open(&asked, fd, request->size_bytes, &never_stop);
	watched = unpacker;
	if (unpacker != NULL) {
		is_asked = unpack(server, request, unpacker);
	} else {
		add_record(server, UNPACKED_TROUBLE, &no_memory);
		add_record(server, UNPACKED_END, &end);
	}
	watched = NULL;
	unpacker_close(unpacker);
	return is_asked && send_word("", 1);
}

/* ---- The process ---- */

bool sandbox_is_meant(int argc, char **argv)
{
	int type = 0;
	socklen_t size = sizeof type;

	return argc == 2 && strcmp(argv[1], SANDBOX_ARGUMENT) == 0 &&
	       getsockopt(SANDBOX_SOCKET, SOL_SOCKET, SO_TYPE, &type, &size) == 0 &&
	       type == SOCK_SEQPACKET;
}

static void close_others(void)
{
#ifdef SIMHASH_HAVE_CLOSE_RANGE
	(void)!close_range(STDERR_FILENO + 1, ~0u, 0);
#endif
	close(SANDBOX_MEMORY);
}

/* Returns 0 or an errno. */
static int begin(struct server *server)
{
	server->area = mmap(NULL, sizeof *server->area, PROT_READ | PROT_WRITE, MAP_SHARED,
			    SANDBOX_MEMORY, 0);
	if (server->area == MAP_FAILED)
		return errno;
	close_others();
	unpacker_prepare((unsigned)server->area->kinds);
	return begin_ticks() == 0 ? sandbox_give_up_rights(server->area->memory_bytes) : errno;
}

int sandbox_serve(void)
{
	static struct sandbox_request request;
	struct server server = {.used = 0};
	int why = begin(&server), fd;
	bool is_asked = send_word(&why, sizeof why) && why == 0;
	size_t size;

	while (is_asked && (size = receive(&request, &fd)) > 0) {
		if (size == sizeof request && fd >= 0)
			is_asked = serve(&server, &request, fd);
		if (fd >= 0)
			close(fd);
	}
	/* Functions that run at the end of a program would make forbidden calls. */
	_exit(EXIT_SUCCESS);
}
