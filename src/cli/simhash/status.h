/*
 * Defines the data that simhash --status shows.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_STATUS_H
#define SIMHASH_CLI_STATUS_H

#include <stdio.h>

#include "store/names/names.h"
#include "store/names/scan_run.h"
#include "store/rows/totals.h"
#include "store/write/find_run.h"

struct index_status {
	const char *url;
	int64_t bytes;
	struct name_list hosts, tag_sets, measures;
	int64_t *measure_files; /* the number of files with a sketch of each measure */
	struct scope_total *totals;
	int64_t *damaged; /* the number of damaged files of each total */
	size_t total_count;
	struct scan_run_list runs;    /* the last run of each root; its id is the number of runs */
	struct find_run_list answers; /* the runs of simfind --store */
};

/* Write it as a JSON object. The caller checks the error state of the stream. */
void write_status_json(FILE *out, const struct index_status *status);

#endif
