// zlib, to compare with; what its macros pass on, Swift passes itself.
#include <zlib.h>
