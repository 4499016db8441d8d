/*
 * Chooses the index, the tag set, the host name and the scan kernel, and prints --version.
 * SPDX-License-Identifier: MIT
 */
#include "cli/options/options.h"
#include "cli/options/operands.h"
#include "cli/terminal/signals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "index/walk/exclusions.h"
#include "scan/archive/container.h"
#include "scan/archive/sandbox.h"
#include "scan/file/hashing.h"
#include "scan/image/image.h"
#include "scan/mail/mail.h"
#include "store/engine/url.h"
#include "store/open/store.h"

#define WEIGHTS "weights="

int choose_database(const char *option, bool create, char **url, struct simhash_error *error)
{
	if (default_index_url(option, create, url, error) != 0)
		return -1;
	name_index(*url);
	return 0;
}

int open_chosen_index(const struct index_choice *choice, char **url, struct store **store,
		      struct simhash_error *error)
{
	struct store_location where = choice->location;

	if (choose_database(where.url, false, url, error) != 0)
		return -1;
	where.url = *url;
	return store_open(&where, OPEN_TO_READ, store, error);
}

/* A wrong URL is refused when it is used. */
int index_check_output(const struct index_choice *choice, const char *path,
		       struct simhash_error *error)
{
	struct simhash_error ignored;
	struct store_url parts;
	char *url = NULL;
	int status = 0;

	if (default_index_url(choice->location.url, false, &url, &ignored) == 0 &&
	    store_url_parse(url, &parts, &ignored) == 0) {
		status = input_check_output(parts.defaults_file,
					    "it is the option file of the index", path, error);
		store_url_release(&parts);
	}
	free(url);
	return status;
}

int choose_tag_set(const char *option, struct simhash_tag_set **set, struct simhash_error *error)
{
	return option == NULL ? simhash_tag_set_new_default(set, error)
			      : simhash_tag_set_read(option, set, error);
}

int choose_host(const char *option, char name[HOST_NAME_SIZE], struct simhash_error *error)
{
	bool is_valid = true;

	if (option == NULL)
		return default_host_name(name, error);
	for (const char *c = option; *c != '\0'; c++)
		is_valid = is_valid && is_host_character(*c);
	if (!is_valid || option[0] == '\0' || strlen(option) >= HOST_NAME_SIZE)
		return error_set(error, SIMHASH_E_RANGE,
				 "--host '%s': expected 1 to %d letters, digits, '.', '-' or '_'",
				 option, HOST_NAME_SIZE - 1);
	snprintf(name, HOST_NAME_SIZE, "%s", option);
	return 0;
}

/*
 * The beginning of the parameter weights=FILE, or NULL. It is always last, because a file name may
 * contain any byte.
 */
static const char *find_weights(const char *text)
{
	const char *at = strpbrk(text, ":,");

	while (at != NULL && strncmp(at + 1, WEIGHTS, strlen(WEIGHTS)) != 0)
		at = strchr(at + 1, ',');
	return at;
}

int measure_option_parse(const char *text, struct simhash_measure **measure,
			 struct simhash_error *error)
{
	const char *at = find_weights(text);
	struct simhash_weights *weights = NULL;
	char *rest;
	int status = -1;

	if (at == NULL)
		return simhash_measure_new(text, measure, error);
	*measure = NULL;
	rest = strndup(text, (size_t)(at - text));
	if (rest == NULL)
		return error_set_memory(error);
	if (simhash_weights_read(at + 1 + strlen(WEIGHTS), &weights, error) == 0)
		status = simhash_measure_new_weighted(rest, weights, measure, error);
	simhash_weights_free(weights);
	free(rest);
	return status;
}

int add_exclude(const struct option_use *use, struct simhash_error *error)
{
	return exclusions_add_rules(use->field, use->text, error);
}

int add_extensions(const struct option_use *use, struct simhash_error *error)
{
	return exclusions_add_extensions(use->field, use->text, error);
}

int choose_sandbox(struct sandbox_use *use, struct sandbox_use **chosen,
		   struct simhash_error *error)
{
	const char *text = getenv("SIMHASH_SANDBOX");
	bool is_refused = text != NULL && strcmp(text, "no") == 0;

	*chosen = is_refused || sandbox_library() == NULL ? NULL : use;
	if (text == NULL || text[0] == '\0' || is_refused || strcmp(text, "yes") == 0)
		return 0;
	return error_set(error, SIMHASH_E_RANGE, "SIMHASH_SANDBOX '%s': expected yes or no", text);
}

int choose_kernel(struct simhash_error *error)
{
	const char *name = getenv("SIMHASH_KERNEL");

	return name == NULL || name[0] == '\0' ? 0 : simhash_kernel_select(name, error);
}

static void print_containers(void)
{
	struct simhash_error ignored;
	unsigned kinds;
	const char *separator = " ";

	container_kinds(&kinds, &ignored);

	fputs("containers:", stdout);
	for (unsigned i = 0; container_names[i] != NULL; i++)
		if ((kinds & container_numbered(i)) != 0) {
			printf("%s%s", separator, container_names[i]);
			separator = ", ";
		}
	if ((kinds & CONTAINER_TEXT) != 0)
		printf("%stext", separator);
	if (kinds == 0)
		puts(" gzip (built without libarchive)");
	else
		printf(" (%s, %s, %s)\n", container_library(),
		       mail_library() == NULL ? "without GMime" : mail_library(),
		       image_library() == NULL ? "without libtsk" : image_library());
}

void print_version(const char *program)
{
	printf("%s %s\nscan kernel: %s\nindexes: sqlite%s\n", program, SIMHASH_VERSION,
	       simhash_kernel_name(),
	       store_has_engine("mysql") ? ", mysql" : " (built without mysql)");
	print_containers();
	if (sandbox_library() == NULL)
		puts("sandbox: none (built without libseccomp)");
	else
		printf("sandbox: %s\n", sandbox_library());
	if (hashing_library() == NULL)
		puts("hashes: xxh128 (built without nettle)");
	else
		printf("hashes: xxh128, md5, sha1, sha256 (%s)\n", hashing_library());
}

int show_version(const struct option_use *use, struct simhash_error *error)
{
	(void)error;
	print_version(use->program->name);
	return 1;
}
