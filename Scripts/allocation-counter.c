/* Counts the requests for memory of a program that it is loaded into (LD_PRELOAD), for Scripts/check-allocations. */
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

static atomic_ulong count;

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) {
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    return __libc_realloc(block, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    *block = __libc_memalign(alignment, size);
    return *block ? 0 : 12;
}

__attribute__((destructor)) static void report(void) { fprintf(stderr, "allocations %lu\n", (unsigned long)count); }
