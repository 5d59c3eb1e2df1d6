"""Reads WebP files for comparison with the decoder: chunks are taken apart here, bitstreams are decoded by libwebp.

`decode(data)` gives an `Animation`, or throws `Damaged` (both of gif_reference). What is refused is what libwebp 1.2.4 and
its demuxer refuse. Blending is the arithmetic of `apng_reference` on straight samples.
"""
import os
import struct
import subprocess
import tempfile

import numpy as np

import apng_reference
from gif_reference import Animation, Damaged
from webp_writer import ALPHA, ANIMATION, chunk, extended, riff


def little(data):
    return int.from_bytes(data, "little")


def picture(*chunks, width=0, height=0, has_alpha=False):
    """Straight RGBA of the chunks of one picture, as dwebp decodes it."""
    contents = b"".join(chunk(*part) for part in chunks)
    data = riff(extended(ALPHA, width, height), contents) if has_alpha else riff(contents)
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "a.webp"), os.path.join(folder, "a.pam")
        with open(source, "wb") as file:
            file.write(data)
        run = subprocess.run(["dwebp", "-quiet", "-pam", source, "-o", target], capture_output=True)
        if run.returncode or not os.path.exists(target):
            raise Damaged("corrupt", "dwebp refuses it")
        with open(target, "rb") as file:
            pam = file.read()
    head, pixels = pam.split(b"ENDHDR\n", 1)
    words = dict(line.split(b" ", 1) for line in head.split(b"\n")[1:] if b" " in line)
    width, height = int(words[b"WIDTH"]), int(words[b"HEIGHT"])
    return np.frombuffer(pixels, np.uint8).reshape(height, width, -1)[:, :, :4]


def sizes(kind, body):
    """Width and height that a bitstream says it has, and whether it says that there is alpha."""
    if kind == b"VP8L":
        if len(body) < 5 or body[0] != 0x2F or body[4] >> 5:
            raise Damaged("corrupt", "VP8L header")
        bits = little(body[1:5])
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1, bool(bits >> 28 & 1)
    if len(body) < 10 or body[3:6] != b"\x9d\x01\x2a" or body[0] & 1:
        raise Damaged("corrupt", "VP8 header")
    return little(body[6:8]) & 0x3FFF, little(body[8:10]) & 0x3FFF, False


def opaque(pixels, kind, has_alpha):
    """A lossless picture that says it has no alpha has none, whatever its pixels say: so do programs that ask libwebp first."""
    if kind != b"VP8L" or has_alpha:
        return pixels
    pixels = pixels.copy()
    pixels[:, :, 3] = 255
    return pixels


def contents(data, start, end, lenient=False):
    """The chunks as (type, body) between two places; `lenient` stops at one that does not fit."""
    position, result = start, []
    while end - position >= 8:
        kind, length = data[position : position + 4], little(data[position + 4 : position + 8])
        if position + 8 + length > end:
            if lenient and any(kind in (b"VP8 ", b"VP8L") for kind, _ in result):
                break
            raise Damaged("corrupt", f"{kind} does not fit")
        result.append((kind, data[position + 8 : position + 8 + length]))
        position += 8 + length + length % 2
    return result


def decode(data, compose=None):
    """The animation; a file that is none is a still picture of one frame."""
    if len(data) < 12 and b"RIFF".startswith(data[:4]):
        raise Damaged("truncated", "no whole head")
    if data[:4] != b"RIFF" or data[8:12] != b"WEBP":
        raise Damaged("unknownFormat", "no RIFF head")
    end = little(data[4:8]) + 8
    if end < 20:
        raise Damaged("corrupt", "RIFF size")
    if end > len(data):
        # What is wrong in front of the end may be told first.
        raise Damaged("truncated", "shorter than RIFF says")
    first = data[12:16]
    if first in (b"VP8 ", b"VP8L"):
        return still(contents(data, 12, end, lenient=True), None)
    if first != b"VP8X":
        raise Damaged("corrupt", f"{first} comes first")
    header = contents(data, 12, end, lenient=True)[0][1]
    if len(header) < 10 or len(header) > 10 and not header[0] & ANIMATION:
        raise Damaged("corrupt", "VP8X")
    width, height = little(header[4:7]) + 1, little(header[7:10]) + 1
    if width * height >= 1 << 32:
        raise Damaged("corrupt", "canvas")
    if not header[0] & ANIMATION:
        return still(contents(data, 12, end, lenient=True)[1:], (width, height))
    if width * height > 1 << 24:
        raise Damaged("limitExceeded", "too large for this reader")
    return animated(contents(data, 12, end)[1:], width, height, compose or apng_reference.composed_straight)


def still(chunks, canvas):
    alpha = None
    for kind, body in chunks:
        if kind == b"ALPH" and canvas:
            alpha = body
        if kind not in (b"VP8 ", b"VP8L"):
            continue
        width, height, says_alpha = sizes(kind, body)
        if canvas and canvas != (width, height):
            raise Damaged("corrupt", "canvas of another size")
        if width * height > 1 << 24:
            raise Damaged("limitExceeded", "too large for this reader")
        pieces = ([(b"ALPH", alpha)] if alpha is not None else []) + [(kind, body)]
        pixels = picture(*pieces, width=width, height=height, has_alpha=alpha is not None)
        pixels = opaque(pixels, kind, says_alpha or alpha is not None)
        return Animation(width, height, [pixels], still=pixels)
    raise Damaged("corrupt", "no picture")


def animated(chunks, width, height, compose):
    loop, frames = None, []
    for kind, body in chunks:
        if kind in (b"VP8X", b"VP8 ", b"VP8L", b"ALPH"):
            raise Damaged("corrupt", f"{kind} in an animation")
        if kind == b"ANIM" and loop is None:
            if len(body) < 6:
                raise Damaged("corrupt", "ANIM")
            loop = little(body[4:6])
        if kind == b"ANMF":
            if loop is None or len(body) < 16:
                raise Damaged("corrupt", "ANMF")
            found = frame(body, width, height)
            if found:
                frames.append(found)
    if not frames:
        raise Damaged("corrupt", "no frame")
    images = [pixels for pixels, _ in frames]
    canvases = compose(width, height, images, [control for _, control in frames])
    return Animation(width, height, canvases, [control[4] for _, control in frames], loop)


def frame(body, width, height):
    """The picture of a frame and how it is put on the canvas, in the form of `apng_reference`; `None` for an empty one."""
    x, y = 2 * little(body[0:3]), 2 * little(body[3:6])
    told = little(body[6:9]) + 1, little(body[9:12]) + 1
    alpha = image = None
    for kind, payload in contents(body, 16, len(body)):
        if kind == b"ALPH":
            if alpha is not None or image:
                raise Damaged("corrupt", "ALPH")
            if x + told[0] > width or y + told[1] > height:
                raise Damaged("corrupt", "frame outside")
            alpha = payload
        elif kind in (b"VP8 ", b"VP8L"):
            if image or kind == b"VP8L" and alpha is not None:
                raise Damaged("corrupt", "a second picture")
            image = kind, payload
        elif kind in (b"VP8X", b"ANIM", b"ANMF"):
            raise Damaged("corrupt", f"{kind} in a frame")
    if not image:
        if alpha is not None:
            raise Damaged("corrupt", "alpha alone")
        return None
    columns, rows, says_alpha = sizes(*image)
    if x + columns > width or y + rows > height or alpha is not None and told != (columns, rows):
        raise Damaged("corrupt", "frame outside")
    pieces = ([(b"ALPH", alpha)] if alpha is not None else []) + [image]
    pixels = picture(*pieces, width=columns, height=rows, has_alpha=alpha is not None)
    # The pixels of a smaller frame are blended by the alpha that they have.
    pixels = opaque(pixels, image[0], says_alpha or (columns, rows) != (width, height))
    # Blending 1 is OVER, disposal 1 is BACKGROUND.
    return pixels, (columns, rows, x, y, little(body[12:15]), 1000, body[15] & 1, 0 if body[15] & 2 else 1)
