/*
 * Defines the outcomes of the scan of a file, and the sizes of its buffers.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_OUTCOME_H
#define SIMHASH_SCAN_OUTCOME_H

/* Fits into the second-level cache, where bytes are read, hashed and scanned in turn. */
#define FILE_SCANNER_BUFFER (256 * 1024)
/* Has room for the bytes that a unit of a large file shares with the next unit. */
#define FILE_SCANNER_ROOM (FILE_SCANNER_BUFFER + 4096)
/* into other buffers, read() may copy at a quarter of the speed */
#define SCAN_BUFFER_ALIGNMENT 4096

enum scan_outcome {
	SCAN_DONE,
	SCAN_GONE,   /* the file no longer exists, or is no longer a regular file */
	SCAN_FAILED, /* errno has the reason; scan_inflated() in scan_file.h lists its values */
	SCAN_OWN,    /* a file of the index itself, which changes while the index is written */
	SCAN_STOPPED
};

#endif
