// zlib's setters are macros that pass the header version and the structure size, which Swift cannot
// import; these give them back as functions. No code of zlib's is copied.
#ifndef CZLIB_SHIM_H
#define CZLIB_SHIM_H
#include <zlib.h>

static inline int czlib_inflateInit2(z_streamp stream, int windowBits) {
    return inflateInit2(stream, windowBits);
}

static inline int czlib_deflateInit2(z_streamp stream, int level, int windowBits, int memoryLevel, int strategy) {
    return deflateInit2(stream, level, Z_DEFLATED, windowBits, memoryLevel, strategy);
}
#endif
