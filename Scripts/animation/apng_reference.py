"""Reads APNG files for comparison with the decoder: chunks are taken apart here, images are decoded by libpng.

`decode(data)` gives an `Animation`, or throws `Damaged` (both of gif_reference). The canvas holds premultiplied 8-bit
samples, as the decoder's does, and blending is the same arithmetic, so that the results are comparable byte by byte.
"""
import contextlib
import os
import struct
import zlib
from fractions import Fraction

import imagecodecs
import numpy as np

from gif_reference import Animation, Damaged

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def over_255(values):
    """Products of two 8-bit values divided by 255, to nearest."""
    values = values + 128
    return (values + (values >> 8)) >> 8


def premultiplied(pixels):
    """Straight RGBA as premultiplied, in 32 bits."""
    pixels = pixels.astype(np.int32)
    pixels[:, :, :3] = over_255(pixels[:, :, :3] * pixels[:, :, 3:])
    return pixels


def straight(pixels):
    """Premultiplied RGBA as straight bytes, 0 where alpha is 0."""
    alpha = pixels[:, :, 3:]
    result = pixels.astype(np.int32)
    result[:, :, :3] = np.where(alpha == 0, 0, (result[:, :, :3] * 255 + alpha // 2) // np.maximum(alpha, 1))
    return result.astype(np.uint8)


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def parts(data):
    """The chunks as (type, body). Ancillary chunks with a wrong checksum are left out, those of the animation refused."""
    if data[:8] != SIGNATURE:
        raise Damaged("unknownFormat", "no PNG signature")
    result, position = [], 8
    while True:
        if position + 12 > len(data):
            raise Damaged("truncated", "no IEND")
        length, kind = struct.unpack(">I4s", data[position : position + 8])
        if length > 0x7FFFFFFF:
            raise Damaged("corrupt", "chunk length")
        if position + 12 + length > len(data):
            raise Damaged("truncated", f"{kind} is cut off")
        body = data[position + 8 : position + 8 + length]
        position += 12 + length
        if struct.unpack(">I", data[position - 4 : position])[0] == zlib.crc32(kind + body):
            result.append((kind, body))
        elif not kind[0] & 0x20 or kind in (b"acTL", b"fcTL", b"fdAT"):
            raise Damaged("corrupt", f"checksum of {kind}")
        if kind == b"IEND":
            return result


@contextlib.contextmanager
def quiet():
    """Without the standard error of libraries: imagecodecs lets libpng warn at every interlaced picture."""
    kept, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nothing)


def picture(png):
    """Straight RGBA as libpng decodes it; 16 bits to 8 by rounding."""
    try:
        with quiet():
            pixels = imagecodecs.png_decode(png)
    except Exception as error:
        raise Damaged("corrupt", f"libpng: {error}") from error
    if pixels.dtype == np.uint16:
        pixels = ((pixels.astype(np.int64) * 255 + 32895) >> 16).astype(np.uint8)
    elif pixels.dtype == bool:
        pixels = pixels.astype(np.uint8) * 255
    if pixels.ndim == 2:
        pixels = pixels[:, :, None]
    result = np.full(pixels.shape[:2] + (4,), 255, np.uint8)
    channels = pixels.shape[2]
    result[:, :, :3] = pixels[:, :, : 3 if channels > 2 else 1]
    if channels in (2, 4):
        result[:, :, 3] = pixels[:, :, -1]
    return result


def frame_data(contents, width, height):
    """The frames of the animation as (frame control, compressed data)."""
    frames, sequence, behind_image, first = [], 0, False, None
    for kind, body in contents:
        if kind == b"IDAT":
            if frames and not behind_image:
                first = frames[0]                   # the default image is the first frame
            behind_image = True
            if first:
                first[1].append(body)
        elif kind in (b"fcTL", b"fdAT"):
            if len(body) != 26 if kind == b"fcTL" else len(body) < 4:
                raise Damaged("corrupt", f"length of {kind}")
            if struct.unpack(">I", body[:4])[0] != sequence:
                raise Damaged("corrupt", f"sequence number {sequence} is missing")
            sequence += 1
            if kind == b"fdAT":
                if not frames or not behind_image or frames[-1] is first:
                    raise Damaged("corrupt", "fdAT without fcTL")
                frames[-1][1].append(body[4:])
                continue
            control = struct.unpack(">IIIIHHBB", body[4:])
            columns, rows, x, y, _, _, dispose, blend = control
            if not columns or not rows or x + columns > width or y + rows > height or dispose > 2 or blend > 1:
                raise Damaged("corrupt", "fcTL")
            if frames and not frames[-1][1] or not behind_image and control[:4] != (width, height, 0, 0):
                raise Damaged("corrupt", "fcTL out of place")
            frames.append((control, []))
    if frames and not frames[-1][1]:
        raise Damaged("corrupt", "frame without data")
    return frames


def decode(data, compose=None):
    """The animation; a file without acTL in front of its image is a still picture of one frame."""
    contents = parts(data)
    kinds = [kind for kind, _ in contents]
    if kinds[0] != b"IHDR" or len(contents[0][1]) != 13 or b"IDAT" not in kinds:
        raise Damaged("corrupt", "no IHDR or no IDAT")
    header = contents[0][1]
    width, height = struct.unpack(">II", header[:8])
    if width * height > 1 << 24:
        raise Damaged("limitExceeded", "too large for this reader")
    plain = SIGNATURE + b"".join(chunk(*part) for part in contents if part[0] not in (b"acTL", b"fcTL", b"fdAT"))
    still = picture(plain)
    first_data = kinds.index(b"IDAT")
    control = next((body for kind, body in contents[:first_data] if kind == b"acTL"), None)
    if control is None:
        return Animation(width, height, [still], still=still)
    if len(control) != 8:
        raise Damaged("corrupt", "length of acTL")
    count, plays = struct.unpack(">II", control)
    frames = frame_data(contents, width, height)
    if not count or len(frames) != count:
        raise Damaged("corrupt", f"{len(frames)} frames of {count}")
    shared = b"".join(chunk(*part) for part in contents[:first_data] if part[0] in (b"PLTE", b"tRNS"))
    images, durations = [], []
    for (columns, rows, _, _, numerator, denominator, _, _), pieces in frames:
        own = struct.pack(">II", columns, rows) + header[8:]
        data = chunk(b"IHDR", own) + shared + chunk(b"IDAT", b"".join(pieces)) + chunk(b"IEND", b"")
        images.append(picture(SIGNATURE + data))
        durations.append(round(Fraction(numerator * 1000, denominator or 100)))
    canvases = (compose or composed)(width, height, images, [control for control, _ in frames])
    return Animation(width, height, canvases, durations, plays, still)


def composed(width, height, images, controls):
    """The frames on the canvas (section 11.3.5.2), premultiplied while they are put together."""
    canvas = np.zeros((height, width, 4), np.int32)
    result = []
    for index, (source, (columns, rows, x, y, _, _, dispose, blend)) in enumerate(zip(images, controls)):
        before = canvas.copy()
        region = canvas[y : y + rows, x : x + columns]
        source = premultiplied(source)
        region[:] = source if blend == 0 else source + over_255(region * (255 - source[:, :, 3:]))
        result.append(straight(canvas))
        if dispose == 1 or dispose == 2 and index == 0:
            region[:] = 0
        elif dispose == 2:
            canvas = before
    return result


def composed_straight(width, height, images, controls):
    """The same on a canvas of straight samples, as the specification's formula for OVER has it."""
    canvas = np.zeros((height, width, 4), np.int64)
    result = []
    for index, (source, (columns, rows, x, y, _, _, dispose, blend)) in enumerate(zip(images, controls)):
        before = canvas.copy()
        region = canvas[y : y + rows, x : x + columns]
        source = source.astype(np.int64)
        if blend == 0:
            region[:] = source
        else:
            above, below = source[:, :, 3:] * 255, (255 - source[:, :, 3:]) * region[:, :, 3:]
            total = above + below
            colors = (2 * (source[:, :, :3] * above + region[:, :, :3] * below) + total) // np.maximum(2 * total, 1)
            region[:] = np.concatenate([colors, (2 * total + 255) // 510], axis=2)
        region[region[:, :, 3] == 0] = 0
        result.append(canvas.astype(np.uint8))
        if dispose == 1 or dispose == 2 and index == 0:
            region[:] = 0
        elif dispose == 2:
            canvas = before
    return result
