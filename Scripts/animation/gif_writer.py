"""Writes GIF files (GIF89a), with the freedoms that encoders have and the liberties they take.

A file is a list of blocks: `gif(width, height, [graphic_control(...), image(...), ...], table=colors)`. Pixels are
arrays of color indices. Nothing here optimizes; what is asked for is written, also where it is wrong.
"""
import struct

import numpy as np


class CodeWriter:
    """Collects LZW codes of growing size, least significant bit first (GIF89a, appendix F)."""

    def __init__(self):
        self.data = bytearray()
        self.bits = 0
        self.bit_count = 0

    def write(self, code, size):
        self.bits |= code << self.bit_count
        self.bit_count += size
        while self.bit_count >= 8:
            self.data.append(self.bits & 255)
            self.bits >>= 8
            self.bit_count -= 8

    def finish(self):
        if self.bit_count:
            self.data.append(self.bits & 255)
        return bytes(self.data)


def lzw(indices, minimum_code_size, starts_with_clear=True, ends_with_code=True, clears=True, clear_at=4096,
        doubled_clears=False, longest_match=None):
    """The code stream of the color indices.

    `clears` false keeps a full table to the end (deferred clear code); `clear_at` is the table length at which a clear
    code is written (at most 4096), `doubled_clears` writes two each time. `longest_match` bounds the pixels of a code:
    at 1 all codes are literals, as in files written to avoid compression.
    """
    clear = 1 << minimum_code_size
    writer = CodeWriter()
    size = minimum_code_size + 1
    table, known, is_first = {}, clear + 2, True     # `known` is the length of the reader's table
    for _ in range((2 if doubled_clears else 1) if starts_with_clear else 0):
        writer.write(clear, size)
    pixels = bytes(np.asarray(indices, np.uint8).reshape(-1))
    position, count = 0, len(pixels)
    write, limit = writer.write, longest_match or count
    while position < count:
        code = pixels[position]
        position += 1
        end = min(count, position + limit - 1)
        key = None
        while position < end:
            key = code << 8 | pixels[position]
            longer = table.get(key)
            if longer is None:
                break
            code = longer
            position += 1
        write(code, size)
        if is_first:
            is_first = False
        elif known < 4096:
            known += 1
        if known == 1 << size and size < 12:
            size += 1
        if clears and known >= clear_at:
            for _ in range(2 if doubled_clears else 1):
                write(clear, size)
                size = minimum_code_size + 1
            table, known, is_first = {}, clear + 2, True
        elif known < 4096 and position < count:
            # The reader adds this entry with the next code. A string that it has twice keeps its first code.
            table.setdefault(code << 8 | pixels[position], known)
    if ends_with_code:
        writer.write(clear + 1, size)
    return writer.finish()


def sub_blocks(data, length=255):
    """The data in sub-blocks of `length` bytes, and the block terminator."""
    pieces = [data[start : start + length] for start in range(0, len(data), length)]
    return b"".join(bytes([len(piece)]) + piece for piece in pieces) + b"\0"


def color_table(colors):
    """The colors as bytes, filled up to a power of two, and the field that gives its size."""
    bits = max(1, (len(colors) - 1).bit_length())
    data = bytes(np.asarray(colors, np.uint8).reshape(-1))
    return data + bytes(3 * (1 << bits) - len(data)), bits - 1


def interlaced_rows(height):
    """The rows in the order in which an interlaced image stores them (GIF89a, appendix E)."""
    return [row for start, step in [(0, 8), (4, 8), (2, 4), (1, 2)] for row in range(start, height, step)]


def image_descriptor(x, y, width, height, flags=0):
    return b"\x2c" + struct.pack("<HHHHB", x, y, width, height, flags)


def image(indices, x=0, y=0, interlaced=False, table=None, minimum_code_size=None, block_length=255, **options):
    """An image: descriptor, local color table where one is given, code stream. `options` are those of `lzw`."""
    indices = np.asarray(indices, np.uint8)
    height, width = indices.shape
    flags, colors = 0, b""
    if table is not None:
        colors, size = color_table(table)
        flags |= 0x80 | size
    if interlaced:
        flags |= 0x40
        indices = indices[interlaced_rows(height)]
    if minimum_code_size is None:
        minimum_code_size = max(2, int(indices.max(initial=0)).bit_length())
    codes = lzw(indices, minimum_code_size, **options)
    return (image_descriptor(x, y, width, height, flags) + colors + bytes([minimum_code_size])
            + sub_blocks(codes, block_length))


def graphic_control(delay=0, disposal=0, transparent=None, user_input=False):
    """A graphic control extension; the delay in hundredths of a second."""
    flags = disposal << 2 | 2 * user_input | (transparent is not None)
    return b"\x21\xf9\x04" + struct.pack("<BHB", flags, delay, transparent or 0) + b"\0"


def extension(label, data, length=255):
    return b"\x21" + bytes([label]) + sub_blocks(data, length)


def comment(text):
    return extension(0xFE, text)


def application(identifier, data):
    """An application extension; `identifier` is name and authentication code, eleven bytes."""
    return b"\x21\xff\x0b" + identifier + sub_blocks(data)


def loop(count, identifier=b"NETSCAPE2.0"):
    """The extension that asks for `count` further plays, 0 for plays without end."""
    return application(identifier, b"\1" + struct.pack("<H", count))


def xmp(packet):
    """An XMP packet as it is, not in sub-blocks: the trailer brings a reader of sub-blocks back to a terminator."""
    return b"\x21\xff\x0bXMP DataXMP" + packet + b"\x01" + bytes(range(255, -1, -1)) + b"\0"


def plain_text(x, y, width, height, text):
    header = struct.pack("<HHHHBBBB", x, y, width, height, 8, 8, 1, 0)
    return b"\x21\x01\x0c" + header + sub_blocks(text)


def gif(width, height, blocks, table=None, version=b"89a", background=0, trailer=b"\x3b"):
    """The file: logical screen, global color table where one is given, the blocks, the trailer."""
    flags, colors = 0x70, b""
    if table is not None:
        colors, size = color_table(table)
        flags |= 0x80 | size
    screen = struct.pack("<HHBBB", width, height, flags, background, 0)
    return b"GIF" + version + screen + colors + b"".join(blocks) + trailer
