/*
 * Writes the script as a here-document in braces, whose lines src/keep/commands.c reads.
 * SPDX-License-Identifier: MIT
 */
#include "report/lists/script.h"

#include <inttypes.h>

#include "base/text/escape.h"
#include "base/text/json.h"
#include "simhash.h"

/* A shell runs no command in braces before it has read the closing brace. */
static const char preamble[] =
	"#!/bin/sh\n"
	"# Copies that simkeep found. Every command below is a comment, so this script changes\n"
	"# nothing as it is. Each copy has up to three commands: remove the # from one of them, "
	"or\n"
	"# from all commands of one kind:\n"
	"#\n"
	"#     sed 's/^#hardlink /hardlink /' THIS-SCRIPT | sh\n"
	"#\n"
	"#   hardlink   replace the copy by a hard link to the kept file; both names then have "
	"the\n"
	"#              owner, permissions and time of the kept file\n"
	"#   reflink    let the copy share its blocks with the kept file; needs a file system "
	"with\n"
	"#              reflinks, such as Btrfs\n"
	"#   delete     delete the copy\n"
	"#\n"
	"# simkeep carries out the commands, as with --yes: it compares both files, and leaves "
	"the\n"
	"# copy alone if one of them has changed. It writes a journal for simkeep --undo, to the "
	"new\n"
	"# file that the variable JOURNAL names, or else in the current directory.\n"
	"# A script that was cut, or that does not find simkeep, changes nothing.\n";

static const char tree_preamble[] =
	"#!/bin/sh\n"
	"# One tree from many, as simkeep planned it. Every command below is a comment, so this "
	"script\n"
	"# changes nothing as it is. Remove the # from the commands that simkeep should carry out, "
	"or\n"
	"# from all of them:\n"
	"#\n"
	"#     sed -E 's/^#(delete|move) /\\1 /' THIS-SCRIPT | sh\n"
	"#\n"
	"#   delete     delete the copy; the kept file has the same bytes\n"
	"#   move       give the file its new path; nothing is overwritten\n"
	"#\n"
	"# simkeep carries out the commands, as with --yes: it leaves files alone that have "
	"changed, "
	"and\n"
	"# writes a journal for simkeep --undo, to the new file that the variable JOURNAL names, "
	"or "
	"else\n"
	"# in the current directory.\n"
	"# A script that was cut, or that does not find simkeep, changes nothing.\n";

static const char start[] =
	"{\n"
	"command -v simkeep >/dev/null || {\n"
	"\techo 'This script needs simkeep, which is not in PATH. Nothing has been changed.' >&2\n"
	"\texit 127\n"
	"}\n"
	"exec simkeep --decisions=- --yes \\\n"
	"\t--journal=\"${JOURNAL:-simkeep-journal-$(date +%Y%m%d-%H%M%S)-$$}\" <<'END OF "
	"COMMANDS'\n";

static const char *const names[SCRIPT_WAYS] = {"hardlink", "reflink", "delete"};

static void write_directories(FILE *out, const char *word, const struct bytes *directories,
			      size_t count)
{
	for (size_t i = 0; i < count; i++) {
		fprintf(out, "%s {\"number\":1", word);
		write_json_field(out, "directory",
				 directories[i].size == 0 ? bytes_of("/") : directories[i]);
		fputs("}\n", out);
	}
}

void script_begin(FILE *out, const struct script_head *head)
{
	fputs(head->moves ? tree_preamble : preamble, out);
	fputs(start, out);
	fputs("{\"format\":\"simkeep script\",\"format_version\":1,"
	      "\"version\":\"" SIMHASH_VERSION "\"",
	      out);
	write_json_field(out, "host", bytes_of(head->host));
	fprintf(out, ",\"host_is_given\":%s}\n", head->host_is_given ? "true" : "false");
	write_directories(out, "protect", head->protected, head->protected_count);
	write_directories(out, "empty", head->emptied, head->emptied_count);
}

void script_write_content(FILE *out, int64_t size_bytes)
{
	fputc('\n', out);
	if (size_bytes >= 0)
		fprintf(out, "# %" PRId64 " bytes each\n", size_bytes);
}

void script_write_command(FILE *out, enum script_way way, const struct script_command *command)
{
	fprintf(out, "#%s {\"size\":", names[way]);
	if (command->size_bytes >= 0)
		fprintf(out, "%" PRId64, command->size_bytes);
	else
		fputs("null", out);
	write_json_field(out, "kept", bytes_of(command->kept));
	write_json_field(out, "copy", bytes_of(command->copy));
	if (command->moved != NULL)
		write_json_field(out, "moved", bytes_of(command->moved));
	if (command->size_bytes >= 0)
		fprintf(out, ",\"kept_mtime_ns\":%" PRId64 ",\"copy_mtime_ns\":%" PRId64,
			command->kept_mtime_ns, command->copy_mtime_ns);
	fputs("}\n", out);
}

void script_write_move(FILE *out, const struct script_move *move)
{
	fprintf(out, "#move {\"size\":%" PRId64, move->size_bytes);
	write_json_field(out, "file", bytes_of(move->file));
	write_json_field(out, "to", bytes_of(move->to));
	fprintf(out, ",\"mtime_ns\":%" PRId64 "}\n", move->mtime_ns);
}

void script_write_refusal(FILE *out, enum script_way way, const char *why)
{
	fprintf(out, "# no %s: ", names[way]);
	write_escaped(out, bytes_of(why));
	fputc('\n', out);
}

void script_end(FILE *out, uint64_t commands)
{
	fprintf(out, "\n{\"commands\":%" PRIu64 "}\nEND OF COMMANDS\n}\n", commands);
}
