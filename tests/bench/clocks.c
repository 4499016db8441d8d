/*
 * Run a command and read the clocks of its threads 50 times a second, to measure how well it uses
 * the processors and how long its tail is, in which it leaves some processors idle. For Linux.
 *
 *     clocks FILE COMMAND [ARGUMENT]...
 *
 * Prints to the file the wall time in seconds, the processor time, the peak memory in KiB and the
 * tail in seconds. The middle is between the first tenth of the time and the tail. For it, prints
 * the percentage of all processors that the threads used, and the percentage that they used or
 * waited for, which is the use on an otherwise idle machine.
 * SPDX-License-Identifier: MIT
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STEP_NS 20000000
#define THREADS 4096
#define STEPS 1000000
#define BUSY 0.9 /* the share of the processors; a last step with less belongs to the tail */

struct clocks {
	long thread;
	unsigned long long used_ns, waited_ns;
};

struct step {
	double end_s, length_s, used_s, wanted_s;
};

static struct clocks threads[THREADS];
static size_t thread_count, step_count;
static struct step steps[STEPS];

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static struct clocks *find_thread(long thread)
{
	size_t i = 0;

	while (i < thread_count && threads[i].thread != thread)
		i++;
	if (i == THREADS)
		abort();
	if (i == thread_count)
		threads[thread_count++].thread = thread;
	return &threads[i];
}

/* Add the time that a thread has used and waited for since the last reading. */
static void look_at_thread(const char *folder, const char *name, struct step *step)
{
	char path[512];
	unsigned long long used_ns, waited_ns;
	struct clocks *clocks;
	FILE *file;

	snprintf(path, sizeof path, "%s/%s/schedstat", folder, name);
	file = fopen(path, "r");
	if (file == NULL)
		return;
	if (fscanf(file, "%llu %llu", &used_ns, &waited_ns) == 2) {
		clocks = find_thread(atol(name));
		step->used_s += (double)(used_ns - clocks->used_ns) / 1e9;
		step->wanted_s += (double)(used_ns - clocks->used_ns) / 1e9 +
				  (double)(waited_ns - clocks->waited_ns) / 1e9;
		clocks->used_ns = used_ns;
		clocks->waited_ns = waited_ns;
	}
	fclose(file);
}

static void look(pid_t child, double start_s)
{
	double last_s = step_count == 0 ? 0 : steps[step_count - 1].end_s;
	struct step *step = &steps[step_count];
	char folder[64];
	struct dirent *entry;
	DIR *list;

	snprintf(folder, sizeof folder, "/proc/%ld/task", (long)child);
	list = opendir(folder);
	if (list == NULL || step_count == STEPS - 1)
		return;
	while ((entry = readdir(list)) != NULL)
		if (entry->d_name[0] != '.')
			look_at_thread(folder, entry->d_name, step);
	closedir(list);
	step->end_s = now_s() - start_s;
	step->length_s = step->end_s - last_s;
	step_count++;
}

/* Follow the command to its end. */
static int follow(pid_t child, double start_s, struct rusage *usage)
{
	struct timespec pause = {0, STEP_NS};
	int status;
	pid_t ended;

	do {
		nanosleep(&pause, NULL);
		look(child, start_s);
		ended = wait4(child, &status, WNOHANG, usage);
	} while (ended == 0);
	return ended == child && WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

static double busy_end_s(double processors)
{
	size_t last = step_count;

	while (last > 0 && steps[last - 1].wanted_s < BUSY * processors * steps[last - 1].length_s)
		last--;
	return last == 0 ? 0 : steps[last - 1].end_s;
}

static void print(FILE *out, double wall_s, const struct rusage *usage)
{
	double processors = (double)sysconf(_SC_NPROCESSORS_ONLN);
	double busy_s = busy_end_s(processors), used_s = 0, wanted_s = 0, length_s = 0;

	for (size_t i = 0; i < step_count; i++) {
		const struct step *step = &steps[i];
		double all_s = processors * step->length_s;
		if (step->end_s < wall_s / 10 || step->end_s > busy_s)
			continue;
		used_s += step->used_s;
		wanted_s += step->wanted_s < all_s ? step->wanted_s : all_s;
		length_s += all_s;
	}
	fprintf(out, "%.3f %.3f %ld %.3f %.0f %.0f\n", wall_s,
		(double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
			(double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6,
		usage->ru_maxrss, wall_s - busy_s, length_s > 0 ? 100 * used_s / length_s : 0,
		length_s > 0 ? 100 * wanted_s / length_s : 0);
}

int main(int argc, char **argv)
{
	struct rusage usage;
	double start_s = now_s();
	pid_t child;
	FILE *out;
	int status;

	if (argc < 3) {
		fprintf(stderr, "usage: clocks FILE COMMAND [ARGUMENT]...\n");
		return 1;
	}
	child = fork();
	if (child == 0) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (child < 0) {
		perror("clocks");
		return 1;
	}
	status = follow(child, start_s, &usage);
	out = fopen(argv[1], "w");
	if (out == NULL) {
		perror(argv[1]);
		return 1;
	}
	print(out, now_s() - start_s, &usage);
	return fclose(out) != 0 ? 1 : status;
}
