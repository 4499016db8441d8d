/*
 * Finds the dates of a PDF in its first and last bytes: in the information dictionary of its last
 * trailer, and in the XMP of its catalog.
 *
 *     pdf_dates_find(head, tail, &dates);
 *
 * It looks for objects by their numbers and decompresses nothing. So objects elsewhere, or in
 * compressed streams, and all objects of an encrypted PDF, give no dates.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_PDF_DATES_H
#define SIMHASH_SCAN_PDF_DATES_H

#include "base/text/document_dates.h"

/* The caller reads this number of bytes at each end of the file. */
#define PDF_END_SIZE ((size_t)128 << 10)

/*
 * Set the time of the last change, the later one of both places, or the time of the creation if
 * none has it. `tail` has the last bytes of the file that are not in `head`. The time is in proportion
 * to the sizes of both.
 */
void pdf_dates_find(struct bytes head, struct bytes tail, struct document_dates *dates);

#endif
