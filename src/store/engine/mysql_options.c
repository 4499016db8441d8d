/*
 * Applies the options of option files to a connection, with a table of the options that
 * mysql_options() supports, and decides the mode of TLS. option_files.c reads the files.
 * SPDX-License-Identifier: MIT
 */
#include "store/engine/mysql_options.h"

#include <string.h>
#include <strings.h>

#include "base/basic/error.h"
#include "base/text/decimal.h"

enum value_kind { KIND_TEXT, KIND_SECONDS, KIND_BYTES, KIND_FLAG, KIND_SWITCH, KIND_PROTOCOL };

struct known_option {
	const char *keys[2];
	enum mysql_option option;
	enum value_kind kind;
};

static const struct known_option known_options[] = {
	{{"connect-timeout"}, MYSQL_OPT_CONNECT_TIMEOUT, KIND_SECONDS},
	{{"read-timeout"}, MYSQL_OPT_READ_TIMEOUT, KIND_SECONDS},
	{{"write-timeout"}, MYSQL_OPT_WRITE_TIMEOUT, KIND_SECONDS},
	{{"compress"}, MYSQL_OPT_COMPRESS, KIND_SWITCH},
	{{"init-command"}, MYSQL_INIT_COMMAND, KIND_TEXT},
	{{"bind-address"}, MYSQL_OPT_BIND, KIND_TEXT},
	{{"character-sets-dir"}, MYSQL_SET_CHARSET_DIR, KIND_TEXT},
	{{"max-allowed-packet"}, MYSQL_OPT_MAX_ALLOWED_PACKET, KIND_BYTES},
	{{"protocol"}, MYSQL_OPT_PROTOCOL, KIND_PROTOCOL},
	{{"plugin-dir"}, MYSQL_PLUGIN_DIR, KIND_TEXT},
	{{"default-auth"}, MYSQL_DEFAULT_AUTH, KIND_TEXT},
	{{"ssl-ca", "tls-ca"}, MYSQL_OPT_SSL_CA, KIND_TEXT},
	{{"ssl-capath", "tls-capath"}, MYSQL_OPT_SSL_CAPATH, KIND_TEXT},
	{{"ssl-cert", "tls-cert"}, MYSQL_OPT_SSL_CERT, KIND_TEXT},
	{{"ssl-key", "tls-key"}, MYSQL_OPT_SSL_KEY, KIND_TEXT},
	{{"ssl-cipher", "tls-cipher"}, MYSQL_OPT_SSL_CIPHER, KIND_TEXT},
	{{"ssl-crl", "tls-crl"}, MYSQL_OPT_SSL_CRL, KIND_TEXT},
	{{"ssl-crlpath", "tls-crlpath"}, MYSQL_OPT_SSL_CRLPATH, KIND_TEXT},
	{{"tls-version"}, MYSQL_OPT_TLS_VERSION, KIND_TEXT},
#ifdef MARIADB_PACKAGE_VERSION
	{{"ssl-verify-server-cert", "tls-verify-peer"},
	 MYSQL_OPT_SSL_VERIFY_SERVER_CERT,
	 KIND_FLAG},
	{{"ssl-enforce", "tls-enforce"}, MYSQL_OPT_SSL_ENFORCE, KIND_FLAG},
	{{"ssl-passphrase", "tls-passphrase"}, MARIADB_OPT_TLS_PASSPHRASE, KIND_TEXT},
	{{"ssl-fp", "tls-fp"}, MARIADB_OPT_TLS_PEER_FP, KIND_TEXT},
	{{"ssl-fplist", "tls-fplist"}, MARIADB_OPT_TLS_PEER_FP_LIST, KIND_TEXT},
	{{"restricted-auth"}, MARIADB_OPT_RESTRICTED_AUTH, KIND_TEXT},
#endif
};

static bool is_named(const struct option_value *option, const char *key)
{
	return key != NULL && strcmp(option->key, key) == 0;
}

static int refuse(const struct option_value *option, const char *expected,
		  struct simhash_error *error)
{
	return error_set(error, SIMHASH_E_RANGE, "%s: %s '%s': expected %s", option->file,
			 option->key, option->value == NULL ? "" : option->value, expected);
}

/* Parse a number. With `is_bytes` it may have a unit K, M or G. */
static int parse_amount(const struct option_value *option, bool is_bytes, int64_t *amount,
			struct simhash_error *error)
{
	const char *text = option->value == NULL ? "" : option->value;
	size_t length = strlen(text);
	unsigned shift = 0;

	if (is_bytes && length > 0)
		switch (text[length - 1]) {
		case 'k':
		case 'K':
			shift = 10;
			break;
		case 'm':
		case 'M':
			shift = 20;
			break;
		case 'g':
		case 'G':
			shift = 30;
			break;
		default:
			break;
		}
	if (decimal_parse(text, length - (shift != 0), 0, INT32_MAX, amount) != DECIMAL_OK ||
	    *amount << shift > INT32_MAX)
		return refuse(option, is_bytes ? "bytes, such as 16M" : "a number of seconds",
			      error);
	*amount <<= shift;
	return 0;
}

static int set_protocol(MYSQL *handle, const struct option_value *option,
			struct simhash_error *error)
{
	const char *text = option->value == NULL ? "" : option->value;
	unsigned protocol = strcasecmp(text, "tcp") == 0      ? MYSQL_PROTOCOL_TCP
			    : strcasecmp(text, "socket") == 0 ? MYSQL_PROTOCOL_SOCKET
							      : MYSQL_PROTOCOL_DEFAULT;

	if (protocol == MYSQL_PROTOCOL_DEFAULT)
		return refuse(option, "tcp or socket", error);
	mysql_options(handle, MYSQL_OPT_PROTOCOL, &protocol);
	return 0;
}

static int set_option(MYSQL *handle, const struct known_option *known,
		      const struct option_value *option, struct simhash_error *error)
{
	mysql_bool is_on = !option_is_off(option);
	unsigned seconds;
	unsigned long bytes;
	int64_t amount;

	switch (known->kind) {
	case KIND_TEXT:
		mysql_options(handle, known->option, option->value);
		return 0;
	case KIND_SECONDS:
	case KIND_BYTES:
		if (parse_amount(option, known->kind == KIND_BYTES, &amount, error) != 0)
			return -1;
		seconds = (unsigned)amount;
		bytes = (unsigned long)amount;
		mysql_options(handle, known->option,
			      known->kind == KIND_BYTES ? (void *)&bytes : (void *)&seconds);
		return 0;
	case KIND_FLAG:
		mysql_options(handle, known->option, &is_on);
		return 0;
	case KIND_SWITCH:
		if (is_on)
			mysql_options(handle, known->option, NULL);
		return 0;
	case KIND_PROTOCOL:
	default:
		return set_protocol(handle, option, error);
	}
}

/* Take an option that is an argument of mysql_real_connect(). */
static int take_argument(const struct option_value *option, struct connect_options *connect,
			 struct simhash_error *error)
{
	int64_t port;

	if (is_named(option, "host"))
		connect->host = option->value;
	else if (is_named(option, "user"))
		connect->user = option->value;
	else if (is_named(option, "password"))
		connect->password = option->value;
	else if (is_named(option, "socket"))
		connect->socket = option->value;
	else if (is_named(option, "port")) {
		if (option->value == NULL || decimal_parse(option->value, strlen(option->value), 0,
							   65535, &port) != DECIMAL_OK)
			return refuse(option, "0 to 65535", error);
		connect->port = (unsigned)port;
	}
	return 0;
}

/* ---- TLS ---- */

static int take_mode(const struct option_value *option, enum tls_mode *mode,
		     struct simhash_error *error)
{
	static const struct {
		const char *name;
		enum tls_mode mode;
	} modes[] = {{"DISABLED", TLS_DISABLED},
		     {"PREFERRED", TLS_UNSAID},
		     {"REQUIRED", TLS_REQUIRED},
		     {"VERIFY_CA", TLS_VERIFIED_CA},
		     {"VERIFY_IDENTITY", TLS_VERIFIED}};

	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		if (option->value != NULL && strcasecmp(option->value, modes[i].name) == 0) {
			*mode = modes[i].mode;
			return 0;
		}
	return refuse(option, "DISABLED, PREFERRED, REQUIRED, VERIFY_CA or VERIFY_IDENTITY", error);
}

static int take_tls(const struct option_value *option, enum tls_mode *mode,
		    struct simhash_error *error)
{
	bool is_off = option_is_off(option);

	if (is_named(option, "ssl-mode"))
		return take_mode(option, mode, error);
	if (is_named(option, "ssl-verify-server-cert") || is_named(option, "tls-verify-peer")) {
		if (!is_off)
			*mode = TLS_VERIFIED;
	} else if (is_named(option, "ssl-enforce") || is_named(option, "tls-enforce")) {
		if (!is_off && *mode < TLS_REQUIRED)
			*mode = TLS_REQUIRED;
	} else if (is_named(option, "ssl")) {
		*mode = is_off ? TLS_DISABLED : TLS_REQUIRED;
	} else if (is_named(option, "skip-ssl") || is_named(option, "disable-ssl")) {
		*mode = TLS_DISABLED;
	}
	return 0;
}

static int take_known(MYSQL *handle, const struct option_value *option, struct simhash_error *error)
{
	for (size_t i = 0; i < sizeof known_options / sizeof *known_options; i++)
		if (is_named(option, known_options[i].keys[0]) ||
		    is_named(option, known_options[i].keys[1]))
			return set_option(handle, &known_options[i], option, error);
	return 0;
}

int set_mysql_options(MYSQL *handle, const struct option_files *files,
		      struct connect_options *connect, struct simhash_error *error)
{
	*connect = (struct connect_options){.tls = TLS_UNSAID};
	for (size_t i = 0; i < files->count; i++)
		if (take_argument(&files->values[i], connect, error) != 0 ||
		    take_known(handle, &files->values[i], error) != 0 ||
		    take_tls(&files->values[i], &connect->tls, error) != 0)
			return -1;
	if (connect->tls >= TLS_REQUIRED)
		library_require_tls(handle, connect->tls >= TLS_VERIFIED_CA,
				    connect->tls == TLS_VERIFIED);
	else if (connect->tls == TLS_DISABLED)
		library_disable_tls(handle);
	return 0;
}
