"""Reads GIF files, written from GIF89a for comparison with the decoder; slow, plain and strict.

`decode(data)` gives an `Animation`, or throws `Damaged`. Frames are composited as browsers do it: the canvas begins
transparent, the background color is not painted, disposal 2 clears the frame's rectangle to transparent, 3 (and 4, which
some writers mean by it) restores what was there before, anything else leaves the frame.
"""
import struct
import zlib
from dataclasses import dataclass, field

import numpy as np


class Damaged(Exception):
    """The file is damaged; `kind` is what the decoder should call it."""

    def __init__(self, kind, text):
        super().__init__(text)
        self.kind = kind


@dataclass
class Animation:
    """What a decoder has to make of a file: frames as straight RGBA, the colour 0 where alpha is 0."""
    width: int
    height: int
    frames: list
    durations: list | None = None
    loop: int | None = None
    still: np.ndarray | None = None          # the picture without the animation, where that is another one

    def checksums(self):
        return ["%08x" % zlib.crc32(np.ascontiguousarray(frame)) for frame in self.frames]


@dataclass
class Frame:
    """An image descriptor with what belongs to it."""
    x: int
    y: int
    width: int
    height: int
    is_interlaced: bool
    table: bytes | None
    minimum_code_size: int
    codes: bytes
    delay: int = 0
    disposal: int = 0
    transparent: int | None = None


@dataclass
class Contents:
    """The blocks of a file in their order."""
    width: int
    height: int
    frames: list = field(default_factory=list)
    loop: int | None = None


class Reader:
    def __init__(self, data):
        self.data = data
        self.position = 0

    def take(self, count):
        if self.position + count > len(self.data):
            raise Damaged("truncated", f"ends at {len(self.data)}")
        self.position += count
        return self.data[self.position - count : self.position]

    def byte(self):
        return self.take(1)[0]

    def sub_blocks(self):
        blocks = []
        while length := self.byte():
            blocks.append(self.take(length))
        return blocks


def parse(data):
    """The frames, not yet decompressed. A file may end without a trailer, but only where a block begins."""
    reader = Reader(data)
    if reader.take(6) not in (b"GIF87a", b"GIF89a"):
        raise Damaged("unknownFormat", "no GIF signature")
    width, height, flags, _, _ = struct.unpack("<HHBBB", reader.take(7))
    global_table = reader.take(6 << (flags & 7)) if flags & 0x80 else None
    contents = Contents(width, height)
    control = None
    while reader.position < len(data):
        introducer = reader.byte()
        if introducer == 0x3B:
            break
        if introducer == 0x21:
            label = reader.byte()
            blocks = reader.sub_blocks()
            if label == 0xF9 and blocks and len(blocks[0]) == 4:
                control = struct.unpack("<BHB", blocks[0])
            elif label == 0xFF and blocks and blocks[0] in (b"NETSCAPE2.0", b"ANIMEXTS1.0"):
                for block in blocks[1:]:
                    if len(block) >= 3 and block[0] == 1:
                        contents.loop = block[1] | block[2] << 8
        elif introducer == 0x2C:
            x, y, width, height, flags = struct.unpack("<HHHHB", reader.take(9))
            table = reader.take(6 << (flags & 7)) if flags & 0x80 else global_table
            frame = Frame(x, y, width, height, bool(flags & 0x40), table, reader.byte(), b"".join(reader.sub_blocks()))
            if control:
                frame.disposal, frame.delay = control[0] >> 2 & 7, control[1]
                frame.transparent = control[2] if control[0] & 1 else None
            contents.frames.append(frame)
            control = None
        else:
            raise Damaged("corrupt", f"block 0x{introducer:02x}")
    if not contents.frames:
        raise Damaged("truncated" if reader.position >= len(data) and data[-1:] != b"\x3b" else "corrupt", "no image")
    return contents


def unpack(codes, minimum_code_size, pixel_count):
    """The color indices of a code stream (GIF89a, appendix F): strings, one for each code.

    What follows the last pixel is not looked at, so an end code is not missed there.
    """
    if not 1 <= minimum_code_size <= 8:
        raise Damaged("corrupt", f"minimum code size {minimum_code_size}")
    clear = 1 << minimum_code_size
    roots = [bytes([value]) for value in range(clear)] + [b"", b""]
    table, size, previous = list(roots), minimum_code_size + 1, None
    result, count, bits, bit_count, position = [], 0, 0, 0, 0
    while count < pixel_count:
        while bit_count < size and position < len(codes):
            bits |= codes[position] << bit_count
            bit_count += 8
            position += 1
        if bit_count < size:
            break
        code = bits & ((1 << size) - 1)
        bits >>= size
        bit_count -= size
        if code == clear:
            table, size, previous = list(roots), minimum_code_size + 1, None
            continue
        if code == clear + 1:
            break
        if code < len(table):
            text = table[code]
            if previous is not None and len(table) < 4096:
                table.append(previous + text[:1])
        elif code == len(table) < 4096 and previous is not None:
            text = previous + previous[:1]
            table.append(text)
        else:
            raise Damaged("corrupt", "code out of range")
        if len(table) == 1 << size and size < 12:
            size += 1
        previous = text
        result.append(text)
        count += len(text)
    if count < pixel_count:
        raise Damaged("truncated", f"{pixel_count - count} pixels missing")
    return np.frombuffer(b"".join(result)[:pixel_count], np.uint8)


def indices(frame):
    """The frame's color indices, rows from top to bottom."""
    pixels = unpack(frame.codes, frame.minimum_code_size, frame.width * frame.height)
    pixels = pixels.reshape(frame.height, frame.width)
    if not frame.is_interlaced:
        return pixels
    rows = [row for start, step in [(0, 8), (4, 8), (2, 4), (1, 2)] for row in range(start, frame.height, step)]
    result = np.empty_like(pixels)
    result[rows] = pixels
    return result


def decode(data, unpacked=indices):
    """The composited frames; `unpacked` gives the color indices of a frame."""
    contents = parse(data)
    first = contents.frames[0]
    width = contents.width or first.x + first.width
    height = contents.height or first.y + first.height
    if width * height > 1 << 24:
        raise Damaged("limitExceeded", "too large for this reader")
    canvas = np.zeros((height, width, 4), np.uint8)
    frames = []
    for frame in contents.frames:
        if frame.width * frame.height > 1 << 24:
            raise Damaged("limitExceeded", "too large for this reader")
        if frame.codes:
            pixels = unpacked(frame)
        else:  # no data at all: nothing is drawn
            pixels, frame.transparent = np.zeros((frame.height, frame.width), np.uint8), 0
        colors = np.zeros((256, 4), np.uint8)
        colors[:, 3] = 255
        table = np.frombuffer(frame.table or b"\0\0\0\xff\xff\xff", np.uint8).reshape(-1, 3)
        colors[: len(table), :3] = table
        # A frame that reaches over the edge is clipped.
        shown = (slice(frame.y, frame.y + frame.height), slice(frame.x, frame.x + frame.width))
        before = canvas.copy()
        region = canvas[shown]
        pixels = pixels[: region.shape[0], : region.shape[1]]
        painted = np.ones(pixels.shape, bool) if frame.transparent is None else pixels != frame.transparent
        region[painted] = colors[pixels[painted]]
        frames.append(canvas.copy())
        if frame.disposal == 2:
            region[:] = 0
        elif frame.disposal in (3, 4):
            canvas = before
    if len(frames) == 1:
        return Animation(width, height, frames)
    plays = 1 if contents.loop is None else contents.loop + 1 if contents.loop else 0
    return Animation(width, height, frames, [frame.delay * 10 for frame in contents.frames], plays)
