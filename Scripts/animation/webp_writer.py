"""Writes WebP files: chunks are put together here, bitstreams come from cwebp."""
import io
import os
import struct
import subprocess
import tempfile

import numpy as np
from PIL import Image

ANIMATION, XMP, EXIF, ALPHA, ICC = 0x02, 0x04, 0x08, 0x10, 0x20
CLEAR, REPLACE = 0x01, 0x02
NONE, HORIZONTAL, VERTICAL, GRADIENT = range(4)


def chunk(kind, body):
    return kind + struct.pack("<I", len(body)) + body + b"\0" * (len(body) % 2)


def riff(*chunks, size=None):
    body = b"WEBP" + b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(body) if size is None else size) + body


def number(value):
    """24 bits, the lowest byte first."""
    return struct.pack("<I", value)[:3]


def extended(flags, width, height):
    return chunk(b"VP8X", bytes([flags, 0, 0, 0]) + number(width - 1) + number(height - 1))


def animation(loop=0, background=b"\xff\xff\xff\xff"):
    return chunk(b"ANIM", background + struct.pack("<H", loop))


def frame(x, y, width, height, milliseconds, flags, *chunks):
    head = number(x // 2) + number(y // 2) + number(width - 1) + number(height - 1) + number(milliseconds)
    return chunk(b"ANMF", head + bytes([flags]) + b"".join(chunks))


def parts(data):
    """The chunks of a file, or of what is behind the head of a frame, as (type, body), as far as they go."""
    position = 12 if data[:4] == b"RIFF" else 0
    result = []
    while position + 8 <= len(data):
        kind, length = data[position : position + 4], struct.unpack("<I", data[position + 4 : position + 8])[0]
        result.append((kind, data[position + 8 : position + 8 + length]))
        position += 8 + length + length % 2
    return result


def encoded(pixels, *options):
    """A file by cwebp."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "a.png"), os.path.join(folder, "a.webp")
        Image.fromarray(pixels.astype(np.uint8)).save(source, compress_level=1)
        subprocess.run(["cwebp", "-quiet", *options, source, "-o", target], check=True)
        with open(target, "rb") as file:
            return file.read()


def bitstream(pixels, *options):
    """The chunk with the picture, and the ALPH chunk in front of it where there is one."""
    return b"".join(chunk(kind, body) for kind, body in parts(encoded(pixels, *options))
                    if kind in (b"ALPH", b"VP8 ", b"VP8L"))


def lossless(pixels, *options):
    return bitstream(pixels, "-lossless", "-exact", *options)


def filtered(alpha, method):
    """Alpha as differences to what its neighbours let expect (RFC 9649 section 2.7.1.2)."""
    alpha = alpha.astype(np.int64)
    height, width = alpha.shape
    result = alpha.copy()
    for y in range(height):
        for x in range(width):
            left = alpha[y, x - 1] if x else None
            above = alpha[y - 1, x] if y else None
            if method == NONE or left is None and above is None:
                expected = 0
            elif left is None:
                expected = above
            elif above is None:
                expected = left
            elif method == HORIZONTAL:
                expected = left
            elif method == VERTICAL:
                expected = above
            else:
                expected = min(max(left + above - alpha[y - 1, x - 1], 0), 255)
            result[y, x] -= expected
    return (result % 256).astype(np.uint8)


def raw_alpha(alpha, method=NONE, reduced=0):
    """An ALPH chunk that is not compressed."""
    return chunk(b"ALPH", bytes([reduced << 4 | method << 2]) + filtered(alpha, method).tobytes())


def still(flags, width, height, *chunks):
    return riff(extended(flags, width, height), *chunks)


def opened(data):
    """A file as Pillow, that is libwebp, decodes it: straight RGBA."""
    with Image.open(io.BytesIO(data)) as picture:
        return np.asarray(picture.convert("RGBA"))
