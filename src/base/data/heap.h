/*
 * Keeps a heap of pointers to items: no other item comes before the first. It merges sorted runs:
 *
 *     heap = (struct heap){.items = room_for_all};
 *     heap.items[heap.count++] = run;                 // for each run that has an item
 *     heap_make(&heap, comes_before, context);
 *     while (heap.count > 0) {
 *             ... use the current item of heap.items[0], then go to its next item ...
 *             if (there is a next item)
 *                     heap_settle_first(&heap, comes_before, context);
 *             else
 *                     heap_remove_first(&heap, comes_before, context);
 *     }
 *
 * All functions are inline: if the call names the comparison, the compiler can inline that as well.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_HEAP_H
#define SIMHASH_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>

struct heap {
	void **items; /* borrowed, and so are the items */
	size_t count;
};

/* Returns true if x comes before y, and false if they are equal. */
typedef bool heap_before_fn(const void *x, const void *y, const void *context);

/* Move the item at `at` down until no item below it comes before it. */
static inline void heap_sift_down(struct heap *heap, size_t at, heap_before_fn *comes_before,
				  const void *context)
{
	void *const moved = heap->items[at];

	for (;;) {
		size_t child = 2 * at + 1;
		if (child >= heap->count)
			break;
		if (child + 1 < heap->count &&
		    comes_before(heap->items[child + 1], heap->items[child], context))
			child++;
		if (!comes_before(heap->items[child], moved, context))
			break;
		heap->items[at] = heap->items[child];
		at = child;
	}
	heap->items[at] = moved;
}

/* Make a heap of items in any order. */
static inline void heap_make(struct heap *heap, heap_before_fn *comes_before, const void *context)
{
	for (size_t i = heap->count / 2; i-- > 0;)
		heap_sift_down(heap, i, comes_before, context);
}

/* Restore the heap after the first item changed and may come after others. */
static inline void heap_settle_first(struct heap *heap, heap_before_fn *comes_before,
				     const void *context)
{
	heap_sift_down(heap, 0, comes_before, context);
}

/* Remove the first item. The heap must not be empty. */
static inline void heap_remove_first(struct heap *heap, heap_before_fn *comes_before,
				     const void *context)
{
	heap->items[0] = heap->items[--heap->count];
	if (heap->count > 0)
		heap_sift_down(heap, 0, comes_before, context);
}

#endif
