// zlib's setter is a macro that passes the header version and the structure size, which Swift cannot
// import; this gives it back as a function. No code of zlib's is copied.
#ifndef CZLIB_SHIM_H
#define CZLIB_SHIM_H
#include <zlib.h>

static inline int czlib_inflateInit2(z_streamp stream, int windowBits) {
    return inflateInit2(stream, windowBits);
}
#endif
