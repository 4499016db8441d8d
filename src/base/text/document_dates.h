/*
 * Defines what a document itself says about its age, and reads times as documents write them.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_DOCUMENT_DATES_H
#define SIMHASH_BASE_DOCUMENT_DATES_H

#include <stdint.h>

#include "base/basic/bytes.h"

/* Times are in nanoseconds since 1970. 0: unknown. */
struct document_dates {
	int64_t changed_ns, created_ns;
	int64_t revision; /* how often the document was saved, as it counts itself */
};

/*
 * Read a time such as 2026-11-26T21:45:00.5+01:00, or D:20261126214500+01'00' as in a PDF, where D:,
 * the seconds and the minutes of the zone may be missing. Without a zone it is taken as UTC. Returns
 * 0 for other text, and for years outside 1981 to 2199: programs without a clock write 1970 or 1980.
 */
int64_t document_time_parse(struct bytes text);

/* Read a positive number below 2^31 and nothing after it; 0 for other text. */
int64_t document_revision_parse(struct bytes text);

/*
 * Drop times that cannot be true: more than a day after `now_ns`, and a change before the creation.
 */
void document_dates_check(struct document_dates *dates, int64_t now_ns);

#endif
