/*
 * Converts the command line to a text that a shell accepts.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_COMMAND_LINE_H
#define SIMHASH_CLI_COMMAND_LINE_H

/* For example "simfind --between 'a b' c"; NULL without memory. The caller frees it. */
char *command_line_text(const char *program, int argc, char *const *argv);

#endif
