// What libFuzzer has for those who change inputs in their own way; the sanitizer flag links it (LLVM documentation,
// "libFuzzer – a library for coverage-guided fuzz testing").
#ifndef CFUZZER_H
#define CFUZZER_H
#include <stddef.h>
#include <stdint.h>

// Changes the bytes in place as libFuzzer sees fit, and returns how many there are now.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t largestSize);
#endif
