// Usage: encode-partitions WIDTH HEIGHT QUALITY PARTITIONS < RGB > WEBP
//
// Encodes RGB bytes as lossy WebP with 2^PARTITIONS token partitions, which cwebp has no option for.
// Build: cc encode-partitions.c -lwebp
#include <stdio.h>
#include <stdlib.h>
#include <webp/encode.h>

static int put(const uint8_t *data, size_t size, const WebPPicture *picture) {
    (void)picture;
    return fwrite(data, 1, size, stdout) == size;
}

int main(int count, char **arguments) {
    WebPConfig config;
    WebPPicture picture;
    if (count != 5 || !WebPConfigInit(&config) || !WebPPictureInit(&picture)) return 1;
    picture.width = atoi(arguments[1]);
    picture.height = atoi(arguments[2]);
    config.quality = (float)atof(arguments[3]);
    config.partitions = atoi(arguments[4]);
    // The slower methods write one partition whatever is asked for.
    config.method = 2;
    size_t size = (size_t)3 * picture.width * picture.height;
    uint8_t *pixels = malloc(size);
    if (fread(pixels, 1, size, stdin) != size || !WebPPictureImportRGB(&picture, pixels, 3 * picture.width)) return 1;
    picture.writer = put;
    return WebPEncode(&config, &picture) ? 0 : 1;
}
