// Usage: decode-partially FILE...
//
// Feeds each file to libwebp's incremental decoder, and writes what it made of it as far as it came: the rows, as straight
// RGBA, to FILE.rows, and to standard output a line for each file: status, width, height, rows. Files are fed as a whole: how
// a partition that begins with 255 is read depends on where that decoder is given pieces.
// Build: cc decode-partially.c -lwebp
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <webp/decode.h>

static uint8_t *contents(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size + 1);
    if (bytes && fread(bytes, 1, *size, file) != *size) *size = 0;
    fclose(file);
    return bytes;
}

static int decode(const char *path) {
    size_t size = 0;
    uint8_t *bytes = contents(path, &size);
    WebPDecoderConfig config;
    if (!bytes || !WebPInitDecoderConfig(&config)) return 1;
    config.output.colorspace = MODE_RGBA;
    WebPIDecoder *decoder = WebPINewDecoder(&config.output);
    VP8StatusCode status = WebPIAppend(decoder, bytes, size);
    int rows = 0, width = 0, height = 0, stride = 0;
    const uint8_t *pixels = WebPIDecGetRGB(decoder, &rows, &width, &height, &stride);
    if (!pixels) rows = 0;
    char *target = malloc(strlen(path) + 6);
    if (!target) return 1;
    sprintf(target, "%s.rows", path);
    FILE *file = fopen(target, "wb");
    if (!file) return 1;
    for (int y = 0; y < rows; y++) fwrite(pixels + (size_t)y * stride, 4, width, file);
    fclose(file);
    printf("%d %d %d %d\n", (int)status, width, height, rows);
    WebPIDelete(decoder);
    WebPFreeDecBuffer(&config.output);
    free(target);
    free(bytes);
    return 0;
}

int main(int count, char **arguments) {
    for (int index = 1; index < count; index++) {
        if (decode(arguments[index])) return 1;
    }
    return count < 2;
}
