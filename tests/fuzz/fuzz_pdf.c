/*
 * Fuzzes the dates of PDFs: any bytes at both ends of a file give dates in their range, or none.
 * SPDX-License-Identifier: MIT
 */
#include "fuzz.h"
#include "scan/pdf/pdf_dates.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return 0;
}

/* A copy without a byte after it, so that reading too far is noticed. */
static struct bytes copy_of(const uint8_t *bytes, size_t size)
{
	char *copy = malloc(size > 0 ? size : 1);

	EXPECT(copy != NULL);
	memcpy(copy, bytes, size);
	return (struct bytes){copy, size};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const int64_t latest_ns = INT64_C(7258204800) * 1000000000; /* the year 2200 */
	struct input in = {data, size};
	size_t head_size = take_number(&in, 2), tail_size;
	const uint8_t *head_bytes = take_bytes(&in, head_size, &head_size);
	const uint8_t *tail_bytes = take_bytes(&in, SIZE_MAX, &tail_size);
	struct bytes head = copy_of(head_bytes, head_size), tail = copy_of(tail_bytes, tail_size);
	struct document_dates dates;

	pdf_dates_find(head, tail, &dates);
	EXPECT(dates.revision == 0);
	EXPECT(dates.created_ns >= 0 &&
	       dates.created_ns < latest_ns + INT64_C(1000000000) * 400000);
	EXPECT(dates.changed_ns >= 0 &&
	       dates.changed_ns < latest_ns + INT64_C(1000000000) * 400000);
	EXPECT(dates.changed_ns != 0 || dates.created_ns == 0);
	document_dates_check(&dates, INT64_C(1700000000) * 1000000000);
	EXPECT(dates.changed_ns == 0 || dates.changed_ns >= dates.created_ns);
	free((void *)(uintptr_t)head.data);
	free((void *)(uintptr_t)tail.data);
	return 0;
}
