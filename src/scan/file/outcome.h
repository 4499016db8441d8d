/*
 * The possible outcomes of the scan of a file, and the sizes of the buffers that it reads into.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_OUTCOME_H
#define SIMHASH_SCAN_OUTCOME_H

/* Fits the second-level cache, where bytes are read, hashed and scanned in turn. */
#define FILE_SCANNER_BUFFER (256 * 1024)
/* With room for the bytes that a unit of a large file shares with the next one. */
#define FILE_SCANNER_ROOM (FILE_SCANNER_BUFFER + 4096)
#define SCAN_BUFFER_ALIGNMENT 4096 /* read() may copy to others at a quarter of the speed */

enum scan_outcome {
	SCAN_DONE,
	SCAN_GONE,   /* no longer there, or no longer a regular file */
	SCAN_FAILED, /* errno tells why; see below for inflated content */
	SCAN_OWN,    /* a file of the index itself, which changes while it is written */
	SCAN_STOPPED
};

#endif
