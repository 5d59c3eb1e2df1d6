// What libjpeg makes of a JPEG file, for check-jpeg-decoder:  libjpeg-reference EIGHTHS FILE
//
// Writes PGM or PPM to standard output. Block smoothing is on, as in djpeg: it estimates what an unfinished progression
// leaves out. Exit status 1 where libjpeg refuses the file.
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

static jmp_buf refused;

static void refuse(j_common_ptr decoder) {
    (void)decoder;
    longjmp(refused, 1);
}

static void be_silent(j_common_ptr decoder) { (void)decoder; }

int main(int count, char **arguments) {
    struct jpeg_decompress_struct decoder;
    struct jpeg_error_mgr errors;
    FILE *file = count == 3 ? fopen(arguments[2], "rb") : NULL;
    if (!file) return 2;
    decoder.err = jpeg_std_error(&errors);
    errors.error_exit = refuse;
    errors.output_message = be_silent;
    jpeg_create_decompress(&decoder);
    if (setjmp(refused)) return 1;
    jpeg_stdio_src(&decoder, file);
    jpeg_read_header(&decoder, TRUE);
    decoder.dct_method = JDCT_ISLOW;
    decoder.scale_num = atoi(arguments[1]);
    decoder.scale_denom = 8;
    if (decoder.jpeg_color_space != JCS_GRAYSCALE) decoder.out_color_space = JCS_RGB;
    jpeg_start_decompress(&decoder);
    size_t row_size = (size_t)decoder.output_width * decoder.output_components;
    unsigned char *rows = calloc(decoder.output_height, row_size);
    if (!rows) return 2;
    while (decoder.output_scanline < decoder.output_height) {
        JSAMPROW row = rows + row_size * decoder.output_scanline;
        jpeg_read_scanlines(&decoder, &row, 1);
    }
    printf("P%d\n%u %u\n255\n", decoder.output_components == 1 ? 5 : 6, decoder.output_width, decoder.output_height);
    return fwrite(rows, row_size, decoder.output_height, stdout) == decoder.output_height ? 0 : 2;
}
