/*
 * Writes the statements that create the users of an index on a server. It asks the server about
 * users, hosts and TLS, and inserts names, hosts and passwords into sql/mysql/roles.sql.
 * SPDX-License-Identifier: MIT
 */
#include "store/open/roles.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/open_file.h"
#include "store/engine/url.h"
#include "store/open/query.h"

#define HASH_SIZE 41 /* the hexadecimal digits of a password hash, and a zero */

/* Nobody knows a password with this hash. */
#define NO_HASH "0000000000000000000000000000000000000000"

#define NAME_BEGINNING 16 /* a long database name is cut after this many bytes */

struct rights {
	bool are_here, are_elsewhere;
};

struct roles {
	const struct role_request *request;
	struct role_users *users;
	const char *database;
	char **hosts; /* the hosts from which users connect */
	size_t host_count, host_capacity;
	char hashes[ROLES][HASH_SIZE];
	bool requires_tls;
	/* The server lacks mysql_native_password, as MySQL does since 8.4 by default. */
	bool has_sha2_only;
};

/* The same for caching_sha2_password: a salt of 20 bytes, and a hash of 43 characters. */
#define NO_SHA2_HASH "$A$005$simhash.no.password............................................"

/* ---- Names ---- */

/* Make a name such as "index_writer" for the database "index". A hash distinguishes long names. */
static void name_user(char name[USER_NAME_SIZE], const char *database, enum role role)
{
	static const char *const endings[] = {"writer", "reader", "sql"};
	size_t size = strlen(database);

	if (size + sizeof "_writer" <= USER_NAME_SIZE) {
		snprintf(name, USER_NAME_SIZE, "%s_%s", database, endings[role]);
		return;
	}
	size = NAME_BEGINNING;
	while (size > 0 && ((unsigned char)database[size] & 0xc0) == 0x80)
		size--; /* do not cut a character */
	snprintf(name, USER_NAME_SIZE, "%.*s-%08x_%s", (int)size, database,
		 (unsigned)XXH32(database, strlen(database), 0), endings[role]);
}

static int take_rights(void *context, struct query *query, struct simhash_error *error)
{
	struct rights *rights = context;

	(void)error;
	rights->are_here = query_integer(query, 0) > 0;
	rights->are_elsewhere = query_integer(query, 1) > 0;
	return 0;
}

/*
 * Find out whether a user has privileges in this database and in others. Finds none if our user may
 * not read this.
 */
static int find_rights(struct store *store, const char *user, struct rights *rights,
		       struct simhash_error *error)
{
	static const char sql[] = "SELECT CAST(SUM(db = DATABASE()) AS SIGNED), "
				  "CAST(SUM(db <> DATABASE()) AS SIGNED) "
				  "FROM mysql.tables_priv WHERE user = ?";
	struct query query;
	int status = query_begin(&query, store, sql, error);

	*rights = (struct rights){false, false};
	if (status == 0) {
		query_bind_text(&query, user);
		status = query_each(&query, take_rights, rights, error);
	}
	return status == 0 || error->code == SIMHASH_E_DATABASE ? 0 : -1;
}

static int find_names(struct roles *roles, struct store *store, struct simhash_error *error)
{
	struct rights old, rights;

	if (find_rights(store, "simhash_writer", &old, error) != 0)
		return -1;
	for (int role = 0; role < ROLES; role++) {
		char *name = roles->users->names[role];
		name_user(name, old.are_here && !old.are_elsewhere ? "simhash" : roles->database,
			  (enum role)role);
		if (find_rights(store, name, &rights, error) != 0)
			return -1;
		if (rights.are_elsewhere && roles->request->passwords[role] != NULL)
			return error_set(error, SIMHASH_E_RANGE,
					 "cannot make a new password for user '%s': this user has "
					 "privileges in another database, whose programs would be "
					 "locked out; run without --password-file",
					 name);
	}
	return 0;
}

/* ---- Asking the server ---- */

static int add_host(struct roles *roles, const char *host, size_t size, struct simhash_error *error)
{
	if (array_reserve(&roles->hosts, &roles->host_capacity, roles->host_count + 1,
			  sizeof *roles->hosts, error) != 0)
		return -1;
	roles->hosts[roles->host_count] = strndup(host, size);
	if (roles->hosts[roles->host_count] == NULL)
		return error_set_memory(error);
	roles->host_count++;
	return 0;
}

static int take_host(void *context, struct query *query, struct simhash_error *error)
{
	struct bytes host = query_bytes(query, 0);

	return add_host(context, host.data, host.size, error);
}

/*
 * Run a query that not all users may run or not all servers can answer. Returns 1, or 0 without an
 * answer.
 */
static int ask(struct store *store, const char *sql, query_row_fn *each, void *context,
	       struct simhash_error *error)
{
	struct query query;
	int status = query_begin(&query, store, sql, error);

	if (status == 0)
		status = query_each(&query, each, context, error);
	if (status == 0)
		return 1;
	return error->code == SIMHASH_E_DATABASE ? 0 : -1;
}

static int take_flag(void *context, struct query *query, struct simhash_error *error)
{
	(void)error;
	*(bool *)context = query_integer(query, 0) != 0;
	return 0;
}

/*
 * The anonymous user of a host has priority over a user of any host, so also create users of that
 * host.
 */
static int find_hosts(struct roles *roles, struct store *store, struct simhash_error *error)
{
	static const char anonymous[] =
		"SELECT host FROM mysql.user WHERE user = '' AND host <> '%' "
		"ORDER BY host";

	if (add_host(roles, "%", 1, error) != 0)
		return -1;
	return ask(store, anonymous, take_host, roles, error) < 0 ? -1 : 0;
}

static int find_tls(struct roles *roles, struct store *store, struct simhash_error *error)
{
	static const char channel[] =
		"SELECT CAST(value = 'Yes' AS SIGNED) FROM performance_schema.tls_channel_status "
		"WHERE channel = 'mysql_main' AND property = 'Enabled'";
	int status;

	roles->requires_tls = roles->request->tls != TLS_NEVER;
	if (roles->request->tls != TLS_WHERE_IT_IS)
		return 0;
	/*
	 * MySQL 8.4 and later have a table instead of this variable. Assume TLS if there is no
	 * answer.
	 */
	status = ask(store, "SELECT CAST(@@have_ssl = 'YES' AS SIGNED)", take_flag,
		     &roles->requires_tls, error);
	if (status == 0)
		status = ask(store, channel, take_flag, &roles->requires_tls, error);
	return status < 0 ? -1 : 0;
}

static int find_plugin(struct roles *roles, struct store *store, struct simhash_error *error)
{
	static const char sql[] =
		"SELECT CAST(VERSION() NOT LIKE '%MariaDB%' AND SUBSTRING_INDEX(VERSION(), '.', 1) "
		"* 100 + SUBSTRING_INDEX(SUBSTRING_INDEX(VERSION(), '.', 2), '.', -1) >= 804 AS "
		"SIGNED)";

	if (ask(store, sql, take_flag, &roles->has_sha2_only, error) < 0)
		return -1;
	if (!roles->has_sha2_only || roles->request->passwords[0] == NULL ||
	    roles->request->sha2_hashes[0] != NULL)
		return 0;
	return error_set(error, SIMHASH_E_RANGE,
			 "without Nettle, --password-file makes hashes for mysql_native_password "
			 "only, which MySQL 8.4 and later lack; run without it, and give each user "
			 "a password as the statements show");
}

static int take_hash(void *context, struct query *query, struct simhash_error *error)
{
	struct bytes hash = query_bytes(query, 0);

	if (hash.size != HASH_SIZE - 1)
		return error_set(error, SIMHASH_E_DATABASE, "the server cannot hash passwords");
	memcpy(context, hash.data, hash.size);
	return 0;
}

static int find_hash(struct roles *roles, enum role role, struct store *store,
		     struct simhash_error *error)
{
	struct query query;

	snprintf(roles->hashes[role], HASH_SIZE, "%s", NO_HASH);
	if (roles->request->passwords[role] == NULL)
		return 0;
	if (query_begin(&query, store, "SELECT UPPER(SHA1(UNHEX(SHA1(?))))", error) != 0)
		return -1;
	query_bind_text(&query, roles->request->passwords[role]);
	return query_each(&query, take_hash, roles->hashes[role], error);
}

/* ---- Statements ---- */

static void write_quoted(FILE *out, const char *text, char quote)
{
	fputc(quote, out);
	for (const char *c = text; *c != '\0'; c++) {
		if (*c == quote || (*c == '\\' && quote == '\''))
			fputc(*c, out);
		fputc(*c, out);
	}
	fputc(quote, out);
}

/* Write an account: "'user'@'%'". */
static void write_account(FILE *out, const struct roles *roles, enum role role, size_t host)
{
	write_quoted(out, roles->users->names[role], '\'');
	fputc('@', out);
	write_quoted(out, roles->hosts[host], '\'');
}

/* Write "'user'@'%', 'user'@'localhost'", each with its password if `identified`. */
static void write_accounts(FILE *out, const struct roles *roles, enum role role, bool identified)
{
	for (size_t i = 0; i < roles->host_count; i++) {
		fputs(i == 0 ? "" : identified ? ",\n    " : ", ", out);
		write_account(out, roles, role, i);
		if (identified && roles->has_sha2_only)
			fprintf(out, " IDENTIFIED WITH caching_sha2_password AS '%s'",
				roles->request->sha2_hashes[role] != NULL
					? roles->request->sha2_hashes[role]
					: NO_SHA2_HASH);
		else if (identified)
			fprintf(out, " IDENTIFIED WITH mysql_native_password AS '*%s'",
				roles->hashes[role]);
	}
}

static void write_statement(FILE *out, const char *statement, const struct roles *roles)
{
	for (int role = 0; role < ROLES; role++) {
		fputs(statement, out);
		write_accounts(out, roles, (enum role)role, true);
		fputs(roles->requires_tls		 ? "\n    REQUIRE SSL;\n"
		      : roles->request->tls == TLS_NEVER ? "\n    REQUIRE NONE;\n"
							 : ";\n",
		      out);
	}
}

static void explain_passwords(FILE *out, const struct roles *roles)
{
	if (roles->request->passwords[0] != NULL) {
		fputs("-- The passwords are in the file that you named. Here are their hashes.\n",
		      out);
		return;
	}
	fputs("-- Nobody can log in as a new user before it has a password. Give it one in "
	      "mariadb:\n",
	      out);
	for (int role = 0; role < ROLES; role++)
		for (size_t i = 0; i < roles->host_count; i++) {
			fputs("--     ALTER USER ", out);
			write_account(out, roles, (enum role)role, i);
			fputs(" IDENTIFIED BY '...';\n", out);
		}
}

static void write_users(FILE *out, const struct roles *roles)
{
	explain_passwords(out, roles);
	if (roles->host_count > 1)
		fputs("-- This server has anonymous users of single hosts. They have priority over "
		      "users of any\n-- host, so there are also statements for users of these "
		      "hosts.\n",
		      out);
	if (roles->requires_tls)
		fputs("-- A connection without TLS is refused.\n", out);
	else if (roles->request->tls == TLS_WHERE_IT_IS)
		fputs("-- This server has no TLS, so anybody can read what crosses a network. "
		      "Once it has,\n-- run simhash --init-database --require-tls=always.\n",
		      out);
	write_statement(out, "CREATE USER IF NOT EXISTS\n    ", roles);
	if (roles->request->passwords[0] != NULL)
		write_statement(out, "ALTER USER\n    ", roles);
	else if (roles->request->tls != TLS_WHERE_IT_IS)
		for (int role = 0; role < ROLES; role++) {
			fputs("ALTER USER ", out);
			write_accounts(out, roles, (enum role)role, false);
			fprintf(out, " REQUIRE %s;\n", roles->requires_tls ? "SSL" : "NONE");
		}
}

/* Write the text for the placeholder `name`. Returns false if there is no such placeholder. */
static bool write_place(FILE *out, const char *name, size_t size, const struct roles *roles)
{
	static const char *const places[] = {"writer", "reader", "sql"};

	for (int role = 0; role < ROLES; role++)
		if (strlen(places[role]) == size && memcmp(places[role], name, size) == 0) {
			write_accounts(out, roles, (enum role)role, false);
			return true;
		}
	if (size == strlen("database") && memcmp(name, "database", size) == 0) {
		write_quoted(out, roles->database, '`');
		return true;
	}
	if (size == strlen("users") && memcmp(name, "users", size) == 0) {
		write_users(out, roles);
		return true;
	}
	return false;
}

static void write_statements(FILE *out, const char *text, const struct roles *roles)
{
	const char *brace;

	while ((brace = strchr(text, '{')) != NULL) {
		size_t size = strcspn(brace + 1, "}");
		fwrite(text, 1, (size_t)(brace - text), out);
		if (!write_place(out, brace + 1, size, roles))
			fwrite(brace, 1, size + 2, out);
		text = brace + 1 + size + 1;
	}
	fputs(text, out);
}

static int write_roles(const char *text, const struct roles *roles, char **sql,
		       struct simhash_error *error)
{
	size_t size;
	FILE *out = open_memstream(sql, &size);

	if (out != NULL)
		write_statements(out, text, roles);
	return out == NULL || close_text(out, sql) != 0 ? error_set_memory(error) : 0;
}

int store_roles(struct store *store, const struct role_request *request, struct role_users *users,
		char **sql, struct simhash_error *error)
{
	struct roles roles = {.request = request, .users = users};
	struct store_url url;
	int status;

	*sql = NULL;
	if (store->driver->roles == NULL)
		return 0;
	if (store_url_parse(store->location.url, &url, error) != 0)
		return -1;
	roles.database = url.database;
	status = find_names(&roles, store, error);
	if (status == 0)
		status = find_hosts(&roles, store, error);
	if (status == 0)
		status = find_plugin(&roles, store, error);
	if (status == 0)
		status = find_tls(&roles, store, error);
	for (int role = 0; status == 0 && role < ROLES; role++)
		status = find_hash(&roles, (enum role)role, store, error);
	if (status == 0)
		status = write_roles(store->driver->roles, &roles, sql, error);
	for (size_t i = 0; i < roles.host_count; i++)
		free(roles.hosts[i]);
	free(roles.hosts);
	store_url_release(&url);
	return status;
}
