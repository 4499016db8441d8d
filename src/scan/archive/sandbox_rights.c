/*
 * Restricts a process that unpacks: limits its memory and, with libseccomp, its system calls.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "scan/archive/sandbox.h"
#include "scan/archive/sandbox_area.h"

#define LIBRARIES_BYTES ((rlim_t)1 << 30) /* addresses for the libraries */

#define TEXT_OF(number) #number
#define VERSION_TEXT(major, minor, micro) \
	"libseccomp " TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(micro)

static const int calls[] = {
	SCMP_SYS(pread64),
	SCMP_SYS(preadv2),
	SCMP_SYS(lseek),
	SCMP_SYS(_llseek),
	SCMP_SYS(fadvise64),
	SCMP_SYS(fadvise64_64),
	SCMP_SYS(close),
	SCMP_SYS(brk),
	SCMP_SYS(munmap),
	SCMP_SYS(mremap),
	SCMP_SYS(madvise),
	SCMP_SYS(futex),
	SCMP_SYS(futex_time64),
	SCMP_SYS(getrandom),
	SCMP_SYS(clock_gettime),
	SCMP_SYS(clock_gettime64),
	SCMP_SYS(gettimeofday),
	SCMP_SYS(time),
	SCMP_SYS(sched_yield),
	SCMP_SYS(nanosleep),
	SCMP_SYS(clock_nanosleep),
	SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn),
	SCMP_SYS(sigreturn),
	SCMP_SYS(sigaltstack),
	SCMP_SYS(restart_syscall),
	SCMP_SYS(getpid),
	SCMP_SYS(gettid),
	SCMP_SYS(exit),
	SCMP_SYS(exit_group),
};

/* Allow memory that is not executable, packets on the socket, and signals to the process itself. */
static int allow_in_part(scmp_filter_ctx filter)
{
	const struct scmp_arg_cmp no_code = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
	const struct scmp_arg_cmp is_socket = SCMP_A0(SCMP_CMP_EQ, SANDBOX_SOCKET, 0);
	const struct {
		int call;
		struct scmp_arg_cmp where;
	} rules[] = {
		{SCMP_SYS(mmap), no_code},
		{SCMP_SYS(mmap2), no_code},
		{SCMP_SYS(mprotect), no_code},
		{SCMP_SYS(recvmsg), is_socket},
		{SCMP_SYS(sendto), is_socket},
		{SCMP_SYS(tgkill), SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid(), 0)},
#if HAS_SANITIZER
		{SCMP_SYS(write), SCMP_A0(SCMP_CMP_EQ, STDERR_FILENO, 0)},
#endif
	};
	int status = 0;

	for (size_t i = 0; status == 0 && i < sizeof rules / sizeof *rules; i++)
		status = seccomp_rule_add(filter, SCMP_ACT_ALLOW, rules[i].call, 1, rules[i].where);
	return status;
}

/* Limit the addresses. The process that starts this one also limits its data. */
static int limit_memory(uint64_t memory_bytes)
{
	const struct rlimit none = {0, 0};
#if HAS_SANITIZER
	/* A sanitizer needs memory for each address. */
	(void)memory_bytes;
	return setrlimit(RLIMIT_CORE, &none);
#else
	const rlim_t most = (rlim_t)memory_bytes + LIBRARIES_BYTES;
	struct rlimit memory;

	if (setrlimit(RLIMIT_CORE, &none) != 0 || getrlimit(RLIMIT_AS, &memory) != 0)
		return -1;
	if (memory.rlim_max > most)
		memory.rlim_max = most;
	if (memory.rlim_cur > memory.rlim_max)
		memory.rlim_cur = memory.rlim_max;
	return setrlimit(RLIMIT_AS, &memory);
#endif
}

void sandbox_limit_data(pid_t pid, uint64_t bytes)
{
	struct rlimit limit;

	if (prlimit(pid, RLIMIT_DATA, NULL, &limit) != 0)
		return;
	limit.rlim_cur = (rlim_t)bytes;
	if (limit.rlim_cur > limit.rlim_max)
		limit.rlim_cur = limit.rlim_max;
	(void)!prlimit(pid, RLIMIT_DATA, &limit, NULL);
}

int sandbox_give_up_rights(uint64_t memory_bytes)
{
	scmp_filter_ctx filter;
	int status = 0;

	if (limit_memory(memory_bytes) != 0)
		return errno;
	/*
	 * Forbidden calls fail and do not kill: a decoder that looks for the time zone works
	 * without it.
	 */
	filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	if (filter == NULL)
		return ENOMEM;
	for (size_t i = 0; status == 0 && i < sizeof calls / sizeof *calls; i++)
		status = seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0);
	if (status == 0)
		status = allow_in_part(filter);
	if (status == 0)
		status = seccomp_load(filter);
	seccomp_release(filter);
	return -status;
}

const char *sandbox_library(void)
{
	return VERSION_TEXT(SCMP_VER_MAJOR, SCMP_VER_MINOR, SCMP_VER_MICRO);
}
