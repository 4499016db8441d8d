/*
 * Writing the script.
 * SPDX-License-Identifier: MIT
 */
#include "report/script.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/shell_word.h"

static const char preamble[] =
	"#!/bin/sh\n"
	"# Copies that simfind found. Every command below is commented out, so this script does\n"
	"# nothing as it is. Each copy has three commands: remove the # from one of them, or from\n"
	"# all of one kind:\n"
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

/* Can the content be compared, and the name be changed, on this host? */
static bool is_within_reach(const struct find_file *file)
{
	return file->is_local && !file->is_stream && file->compressed_size_bytes == 0 &&
	       file->size_bytes > 0;
}

static int compare_contents(const struct find_file *x, const struct find_file *y)
{
	if (x->size_bytes != y->size_bytes)
		return x->size_bytes > y->size_bytes ? -1 : 1;
	return memcmp(x->content_hash, y->content_hash, CONTENT_HASH_SIZE);
}

static int compare_files(const void *a, const void *b)
{
	const struct find_file *x = *(const struct find_file *const *)a;
	const struct find_file *y = *(const struct find_file *const *)b;
	int order = compare_contents(x, y);

	return order != 0 ? order : strcmp(x->display, y->display);
}

static void write_action(FILE *out, const char *action, struct bytes kept, struct bytes copy)
{
	bool is_encoded = needs_encoding(kept) || needs_encoding(copy);

	fprintf(out, "#%s %s", action, is_encoded ? "-e " : "");
	write_shell_word(out, kept, is_encoded);
	fputc(' ', out);
	write_shell_word(out, copy, is_encoded);
	fputc('\n', out);
}

static void write_copy(FILE *out, const struct find_file *kept, const struct find_file *copy)
{
	static const char *const actions[] = {"hardlink", "reflink", "delete"};
	struct bytes kept_path = find_file_display(kept), copy_path = find_file_display(copy);

	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
		write_action(out, actions[i], kept_path, copy_path);
}

int script_write(FILE *out, const struct pair_list *pairs, uint64_t *copies,
		 struct simhash_error *error)
{
	bool *is_wanted = calloc(pairs->file_count + 1, sizeof *is_wanted);
	const struct find_file **files = malloc((pairs->file_count + 1) * sizeof *files);
	size_t count = 0;

	*copies = 0;
	if (is_wanted == NULL || files == NULL) {
		free(files);
		free(is_wanted);
		return error_set_memory(error);
	}
	for (size_t i = 0; i < pairs->count; i++)
		if (pairs->pairs[i].is_identical)
			is_wanted[pairs->pairs[i].a->number] =
				is_wanted[pairs->pairs[i].b->number] = true;
	for (size_t i = 0; i < pairs->file_count; i++)
		if (is_wanted[i] && is_within_reach(pairs->files[i]))
			files[count++] = pairs->files[i];
	qsort(files, count, sizeof *files, compare_files);
	fputs(preamble, out);
	for (size_t i = 0, kept = 0, shown = SIZE_MAX; i < count; i++) {
		if (i == 0 || compare_contents(files[kept], files[i]) != 0) {
			kept = i;
			continue;
		}
		if (are_links(files[kept], files[i]))
			continue; /* already one file */
		if (shown != kept)
			fprintf(out, "\n# %" PRId64 " bytes each\n", files[i]->size_bytes);
		shown = kept;
		write_copy(out, files[kept], files[i]);
		++*copies;
	}
	fputs("\nexit $status\n", out);
	free(files);
	free(is_wanted);
	return 0;
}
