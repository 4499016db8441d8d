/*
 * Writes the journal and synchronizes it with the disk.
 * SPDX-License-Identifier: MIT
 */
#include "act/journal/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "base/text/json.h"

const char *action_name(enum keep_action action)
{
	static const char *const names[] = {"report", "hardlink", "reflink", "delete", "move",
					    "mkdir",  "rmdir",	  "copy",    "heal"};

	return names[action];
}

static int64_t atime_ns(const struct stat *status)
{
#ifdef __APPLE__
	const struct timespec *time = &status->st_atimespec;
#else
	const struct timespec *time = &status->st_atim;
#endif
	return clock_ns(time->tv_sec, time->tv_nsec);
}

void journal_file_set(struct journal_file *file, const struct stat *status)
{
	*file = (struct journal_file){
		.device = (uint64_t)status->st_dev,
		.inode = (uint64_t)status->st_ino,
		.links = (uint64_t)status->st_nlink,
		.size_bytes = status->st_size,
		.mtime_ns = stat_mtime_ns(status),
		.atime_ns = atime_ns(status),
		.mode = (uint32_t)(status->st_mode & 07777),
		.owner = (uint32_t)status->st_uid,
		.group = (uint32_t)status->st_gid,
	};
}

static int fail(struct journal *journal, struct simhash_error *error)
{
	journal->has_failed = true;
	return error_set_errno(error, "cannot write the journal %s", journal->path);
}

static int write_out(struct journal *journal, struct simhash_error *error)
{
	if (fflush(journal->stream) != 0 || ferror(journal->stream))
		return fail(journal, error);
	journal->complete_bytes = ftello(journal->stream);
	return 0;
}

int journal_sync(struct journal *journal, struct simhash_error *error)
{
	if (write_out(journal, error) != 0)
		return -1;
	return fdatasync(fileno(journal->stream)) == 0 ? 0 : fail(journal, error);
}

/* The name of a new file is on the disk only after its directory was synchronized. */
static int sync_directory(const char *path)
{
	struct bytes directory = path_directory(path);
	char *text = strndup(directory.data, directory.size);
	int fd, status;

	if (text == NULL)
		return -1;
	fd = open_file_at(AT_FDCWD, text, O_RDONLY | O_DIRECTORY, 0);
	free(text);
	if (fd < 0)
		return -1;
	status = fsync(fd);
	close_keeping_errno(fd);
	return status != 0 && errno != EINVAL ? -1 : 0;
}

int journal_create(struct journal *journal, const char *path, const char *host,
		   struct simhash_error *error)
{
	*journal = (struct journal){
		.stream = open_stream(path, O_WRONLY | O_CREAT | O_EXCL, 0600, "w"), .path = path};
	if (journal->stream == NULL && errno == EEXIST)
		return error_set(error, SIMHASH_E_RANGE,
				 "--journal=%s: expected a new file, but this file exists", path);
	if (journal->stream == NULL)
		return fail(journal, error);
	/* The lock prevents that another process undoes acts that are still running. */
	flock(fileno(journal->stream), LOCK_EX | LOCK_NB);
	fprintf(journal->stream, "{\"format\":\"simkeep journal\",\"format_version\":5,"
				 "\"version\":\"" SIMHASH_VERSION "\"");
	write_json_field(journal->stream, "host", bytes_of(host));
	fprintf(journal->stream, ",\"time_ns\":%" PRId64 "}\n", clock_wall_ns());
	if (journal_sync(journal, error) == 0 && sync_directory(path) == 0)
		return 0;
	fail(journal, error);
	fclose(journal->stream);
	journal->stream = NULL;
	return -1;
}

static void write_file(FILE *out, const char *name, const struct journal_file *file)
{
	fprintf(out,
		",\"%s\":{\"device\":%" PRId64 ",\"inode\":%" PRId64 ",\"links\":%" PRIu64
		",\"size\":%" PRId64 ",\"mtime_ns\":%" PRId64 ",\"atime_ns\":%" PRId64
		",\"mode\":\"%04o\",\"owner\":%" PRIu32 ",\"group\":%" PRIu32 "}",
		name, (int64_t)file->device, (int64_t)file->inode, file->links, file->size_bytes,
		file->mtime_ns, file->atime_ns, (unsigned)file->mode, file->owner, file->group);
}

static void write_hash(FILE *out, const char *name, const uint8_t hash[KEEP_HASH_SIZE])
{
	fprintf(out, ",\"%s\":\"", name);
	for (size_t i = 0; i < KEEP_HASH_SIZE; i++)
		fprintf(out, "%02x", hash[i]);
	fputc('"', out);
}

int journal_begin(struct journal *journal, struct journal_act *act, struct simhash_error *error)
{
	FILE *out = journal->stream;

	act->number = ++journal->acts;
	fprintf(out, "{\"act\":%" PRIu64 ",\"state\":\"begin\",\"time_ns\":%" PRId64, act->number,
		clock_wall_ns());
	fprintf(out, ",\"action\":\"%s\"", action_name(act->action));
	write_json_field(out, "path", bytes_of(act->path));
	if (act->kept != NULL)
		write_json_field(out, "kept", bytes_of(act->kept));
	if (act->to != NULL)
		write_json_field(out, "to", bytes_of(act->to));
	if (act->temporary[0] != '\0')
		write_json_field(out, "temporary", bytes_of(act->temporary));
	if (act->has_hash)
		write_hash(out, "hash", act->hash);
	if (act->action == ACTION_HEAL) {
		write_hash(out, "damaged_hash", act->damaged_hash);
		fprintf(out,
			",\"bytes_at\":%" PRId64 ",\"bytes\":%" PRId64 ",\"unreadable\":%" PRId64,
			act->bytes_at, act->bytes, act->unreadable_bytes);
	}
	if (act->action != ACTION_MKDIR && act->action != ACTION_RMDIR)
		fprintf(out, ",\"same_attributes\":%s", act->same_attributes ? "true" : "false");
	if (act->action != ACTION_MKDIR)
		write_file(out, "file", &act->copy);
	if (act->kept != NULL)
		write_file(out, "kept_file", &act->kept_file);
	fputs("}\n", out);
	return ferror(out) ? fail(journal, error) : 0;
}

int journal_end(struct journal *journal, const struct journal_act *act, const char *why,
		struct simhash_error *error)
{
	fprintf(journal->stream, "{\"act\":%" PRIu64 ",\"state\":\"%s\",\"time_ns\":%" PRId64,
		act->number, why == NULL ? "done" : "left", clock_wall_ns());
	if (why != NULL)
		write_json_field(journal->stream, "why", bytes_of(why));
	fputs("}\n", journal->stream);
	return write_out(journal, error);
}

/*
 * Remove everything after a line that could not be written completely. If there were space again,
 * further lines would make the journal unreadable. The descriptor holds the lock until then.
 */
static void close_failed(struct journal *journal)
{
	int fd = fcntl(fileno(journal->stream), F_DUPFD_CLOEXEC, 0);

	fclose(journal->stream);
	if (fd < 0)
		return;
	if (ftruncate(fd, journal->complete_bytes) == 0)
		fdatasync(fd);
	close(fd);
}

int journal_close(struct journal *journal, struct simhash_error *error)
{
	int status = 0;

	if (journal->stream == NULL)
		return 0;
	if (!journal->has_failed) {
		fprintf(journal->stream,
			"{\"state\":\"end\",\"acts\":%" PRIu64 ",\"time_ns\":%" PRId64 "}\n",
			journal->acts, clock_wall_ns());
		status = journal_sync(journal, error);
	}
	if (journal->has_failed)
		close_failed(journal);
	else if (fclose(journal->stream) != 0)
		status = fail(journal, error);
	journal->stream = NULL;
	return status;
}

void second_temporary(const char *temporary, char name[TEMPORARY_SIZE])
{
	size_t size = strlen(temporary);

	memcpy(name, temporary, size + 1);
	if (size > 0)
		name[size - 1] = name[size - 1] == '0' ? '1' : '0';
}
