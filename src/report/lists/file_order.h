/*
 * Writes files in the order of simfind --order, as text, CSV, JSON, JSON Lines or between zero
 * bytes.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_REPORT_FILE_ORDER_H
#define SIMHASH_REPORT_FILE_ORDER_H

#include "find/order/file_order.h"
#include "report/lists/listing.h"

/* In text and between zero bytes, references are only written if they are requested. */
int listing_write_order(struct listing *listing, const struct file_order *order,
			bool with_references, struct simhash_error *error);

/* Can this formatter write an order of files? */
bool formats_orders(const struct formatter *formatter);

#endif
