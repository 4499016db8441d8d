/*
 * Runs the command of --filter on a file and scans its output. The command runs without a shell, in
 * its own process group. The group is killed at the end, and also if the run is stopped, if the
 * time limit is exceeded, or if the command prints too much. The command has standard input, output
 * and error, and no other descriptor.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_FILTER_RUN_H
#define SIMHASH_SCAN_FILTER_RUN_H

#include "scan/command/filter_commands.h"
#include "scan/file/scan_file.h"

#define FILTER_SECONDS 60
#define FILTER_BYTES_MAX (INT64_C(256) << 20)

struct filter_limits {
	unsigned seconds;
	int64_t bytes;
};

/*
 * Complete a row with the output of the command for a file: `fd`, at its beginning, and `path`,
 * which is absolute. With SCAN_FAILED, *why is a text that the caller frees, or NULL if memory is
 * short.
 */
enum scan_outcome scan_filtered(struct file_scanner *scanner, const struct filter_command *command,
				const struct filter_limits *limits, int fd, const char *path,
				struct file_row *row, char **why);

#endif
