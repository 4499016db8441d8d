/*
 * Writing the script.
 * SPDX-License-Identifier: MIT
 */
#include "report/script.h"

#include <inttypes.h>
#include <stdbool.h>

#include "base/escape.h"
#include "base/shell_word.h"

static const char preamble[] =
	"#!/bin/sh\n"
	"# Copies that simfind found. Every command below is commented out, so this script does\n"
	"# nothing as it is. Each copy has up to three commands: remove the # from one of them, "
	"or\n"
	"# from all of one kind:\n"
	"#\n"
	"#     sed 's/^#hardlink /hardlink /' THIS-SCRIPT | sh\n"
	"#\n"
	"#   hardlink KEPT COPY   replace COPY by a hard link to KEPT; both names then have the\n"
	"#                        owner, permissions and time of KEPT\n"
	"#   reflink KEPT COPY    let COPY share its blocks with KEPT, which the kernel compares;\n"
	"#                        needs simfind and a file system with reflinks, such as Btrfs\n"
	"#   delete KEPT COPY     delete COPY\n"
	"#\n"
	"# A command first compares both files byte by byte and leaves COPY alone if they differ.\n"
	"# After -e, names are encoded as for %b of printf.\n"
	"\n"
	"status=0\n"
	"refuse() {\n"
	"\tprintf 'left alone: %s: %s\\n' \"$copy\" \"$1\" >&2\n"
	"\tstatus=1\n"
	"\treturn 1\n"
	"}\n"
	"decode() {\n"
	"\tdecoded=$(printf '%b.' \"$1\")\n"
	"\tdecoded=${decoded%.}\n"
	"}\n"
	"still_identical() {\n"
	"\tif [ \"$1\" = -e ]; then\n"
	"\t\tdecode \"$2\" && kept=$decoded && decode \"$3\" && copy=$decoded\n"
	"\telse\n"
	"\t\tkept=$1 copy=$2\n"
	"\tfi\n"
	"\tfor file in \"$kept\" \"$copy\"; do\n"
	"\t\tif [ -h \"$file\" ] || [ ! -f \"$file\" ]; then\n"
	"\t\t\trefuse \"$file is no longer a regular file\"\n"
	"\t\t\treturn 1\n"
	"\t\tfi\n"
	"\tdone\n"
	"\t[ \"$kept\" -ef \"$copy\" ]\n"
	"\tcase $? in\n"
	"\t1) ;;\n"
	"\t0)\n"
	"\t\t[ -n \"$linked_is_done\" ] || refuse \"it is the same file as $kept\"\n"
	"\t\treturn 1\n"
	"\t\t;;\n"
	"\t*) refuse \"test of this shell does not support -ef\"; return 1 ;;\n"
	"\tesac\n"
	"\tcmp -s -- \"$kept\" \"$copy\" || refuse \"it is no longer identical to $kept\"\n"
	"}\n"
	"is_free() {\n"
	"\tnew=$copy.new.$$\n"
	"\t[ ! -e \"$new\" ] && [ ! -h \"$new\" ] || refuse \"$new already exists\"\n"
	"}\n"
	"replace() {\n"
	"\tmv -f -- \"$new\" \"$copy\" || { rm -f -- \"$new\"; refuse \"cannot replace it\"; "
	"}\n"
	"}\n"
	"hardlink() {\n"
	"\tlinked_is_done=1\n"
	"\tstill_identical \"$@\" && is_free || return\n"
	"\tln -- \"$kept\" \"$new\" && replace || refuse \"it was not replaced by a hard link\"\n"
	"}\n"
	"decide() {\n"
	"\tprintf "
	"'{\"host\":\"script\",\"path_hex\":\"%s\",\"hash\":\"%032d\",\"decision\":\"%s\"}' \\\n"
	"\t\t\"$(printf %s \"$1\" | od -A n -v -t x1 | tr -d ' \\n')\" 0 \"$2\"\n"
	"}\n"
	"reflink() {\n"
	"\tlinked_is_done=\n"
	"\tjournal=${TMPDIR:-/tmp}/simfind-script.$$\n"
	"\tstill_identical \"$@\" || return\n"
	"\t[ ! -e \"$journal\" ] || { refuse \"$journal already exists\"; return; }\n"
	"\tif {\n"
	"\t\tprintf '{\"format\":\"simfind "
	"decisions\",\"format_version\":1,\"groups\":[{\"files\":['\n"
	"\t\tdecide \"$kept\" keep\n"
	"\t\tprintf ,\n"
	"\t\tdecide \"$copy\" 'give up'\n"
	"\t\tprintf ']}]}'\n"
	"\t} | simfind -q --host=script --apply=- --action=reflink --yes \\\n"
	"\t\t--journal=\"$journal\" >/dev/null; then\n"
	"\t\trm -f -- \"$journal\"\n"
	"\telse\n"
	"\t\trm -f -- \"$journal\"\n"
	"\t\trefuse \"it was not replaced by a reflink\"\n"
	"\tfi\n"
	"}\n"
	"delete() {\n"
	"\tlinked_is_done=\n"
	"\tstill_identical \"$@\" || return\n"
	"\trm -f -- \"$copy\" || refuse \"cannot delete it\"\n"
	"}\n";

static const char *const names[SCRIPT_WAYS] = {"hardlink", "reflink", "delete"};

void script_begin(FILE *out)
{
	fputs(preamble, out);
}

void script_write_content(FILE *out, int64_t size_bytes)
{
	fputc('\n', out);
	if (size_bytes >= 0)
		fprintf(out, "# %" PRId64 " bytes each\n", size_bytes);
}

void script_write_command(FILE *out, enum script_way way, struct bytes kept, struct bytes copy)
{
	bool is_encoded = needs_encoding(kept) || needs_encoding(copy);

	fprintf(out, "#%s %s", names[way], is_encoded ? "-e " : "");
	write_shell_word(out, kept, is_encoded);
	fputc(' ', out);
	write_shell_word(out, copy, is_encoded);
	fputc('\n', out);
}

void script_write_refusal(FILE *out, enum script_way way, const char *why)
{
	fprintf(out, "# no %s: ", names[way]);
	write_escaped(out, bytes_of(why));
	fputc('\n', out);
}

void script_end(FILE *out)
{
	fputs("\nexit $status\n", out);
}
