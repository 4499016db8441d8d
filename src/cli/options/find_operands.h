/*
 * The operands of simfind: FILEs, also those of --files0-from, and DIRs.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_FIND_OPERANDS_H
#define SIMHASH_CLI_FIND_OPERANDS_H

#include "cli/options/find_options.h"

int take_operands(struct find_arguments *arguments, int count, char **operands,
		  struct simhash_error *error);

/* Find only below this directory, besides those added before; find_sides.c. */
int add_directory(struct find_arguments *arguments, const char *text, struct simhash_error *error);

/* One of the directories of --directories: HOST:, HOST:/DIRECTORY or a directory of this host. */
int add_side(struct find_arguments *arguments, const char *text, struct simhash_error *error);

#endif
