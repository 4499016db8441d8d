/*
 * Run a command and print its wall time in seconds, its processor time and its
 * peak memory in KiB to a file: measure FILE COMMAND [ARGUMENT]...
 * Its exit status is the command's, or 128 and the number of the signal that ended it.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	struct timespec start, end;
	struct rusage usage;
	int status;
	pid_t child;
	FILE *out;

	if (argc < 3) {
		fprintf(stderr, "usage: measure FILE COMMAND [ARGUMENT]...\n");
		return 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &start);
	child = fork();
	if (child == 0) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) != child) {
		perror("measure");
		return 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	out = fopen(argv[1], "w");
	if (out == NULL) {
		perror(argv[1]);
		return 1;
	}
	fprintf(out, "%.3f %.3f %ld\n",
		(double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9,
		seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss);
	if (fclose(out) != 0)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
