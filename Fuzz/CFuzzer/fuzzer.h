// libFuzzer as a library; the sanitizer flag links it (LLVM documentation, "Using libFuzzer as a library").
#ifndef CFUZZER_H
#define CFUZZER_H
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argumentCount, char ***arguments, int (*test)(const uint8_t *data, size_t size));

// Changes the bytes in place as libFuzzer sees fit, and returns how many there are now.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t largestSize);
#endif
