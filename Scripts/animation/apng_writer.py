"""Writes APNG files (PNG, third edition, section 11.3.5) of every color type, depth, disposal and blend operation.

Samples are arrays of height x width x channels at the file's own depth. `chunks` gives the file as a list of chunks, which
can be changed before `assemble` makes bytes of them; `apng` does both.
"""
import struct
import zlib
from dataclasses import dataclass

import numpy as np

GRAY, RGB, PALETTE, GRAY_ALPHA, RGBA = 0, 2, 3, 4, 6
CHANNELS = {GRAY: 1, RGB: 3, PALETTE: 1, GRAY_ALPHA: 2, RGBA: 4}
NONE, BACKGROUND, PREVIOUS = 0, 1, 2
SOURCE, OVER = 0, 1

# Column and row of the first sample and the steps to the next, pass by pass (section 8.1).
ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


@dataclass
class Frame:
    """A frame of the animation; the delay is numerator / denominator seconds."""
    samples: np.ndarray
    x: int = 0
    y: int = 0
    numerator: int = 1
    denominator: int = 10
    dispose: int = NONE
    blend: int = SOURCE


def packed_rows(samples, depth):
    """The bytes of each row, filled up with zero bits."""
    height = samples.shape[0]
    values = samples.reshape(height, -1)
    if depth == 16:
        return np.ascontiguousarray(values, ">u2").view(np.uint8).reshape(height, -1)
    values = values.astype(np.uint8)
    if depth == 8:
        return values
    bits = np.unpackbits(values[..., None], axis=2)[:, :, 8 - depth :].reshape(height, -1)
    return np.packbits(bits, axis=1)


def filtered(rows, filters, pixel_bytes):
    """The rows behind their filter types (section 9.2)."""
    raw = rows.astype(np.int32)
    left, above, corner = np.zeros_like(raw), np.zeros_like(raw), np.zeros_like(raw)
    left[:, pixel_bytes:] = raw[:, :-pixel_bytes]
    above[1:] = raw[:-1]
    corner[1:, pixel_bytes:] = raw[:-1, :-pixel_bytes]
    estimate = left + above - corner
    to_left, to_above, to_corner = abs(estimate - left), abs(estimate - above), abs(estimate - corner)
    paeth = np.where((to_left <= to_above) & (to_left <= to_corner), left, np.where(to_above <= to_corner, above, corner))
    predictions = np.stack([np.zeros_like(raw), left, above, (left + above) // 2, paeth])
    result = (raw - predictions[filters, np.arange(len(raw))]).astype(np.uint8)
    return np.concatenate([np.asarray(filters, np.uint8)[:, None], result], axis=1).tobytes()


def compressed(samples, depth, interlaced=False, filters=None, level=9):
    """The zlib stream of the image; `filters(count)` gives the filter types of so many rows."""
    pixel_bytes = max(1, samples.shape[2] * depth // 8)
    data = b""
    for x, y, x_step, y_step in ADAM7 if interlaced else [(0, 0, 1, 1)]:
        part = samples[y::y_step, x::x_step]
        if part.size:
            types = filters(len(part)) if filters else np.arange(len(part)) % 5
            data += filtered(packed_rows(part, depth), types, pixel_bytes)
    return zlib.compress(data, level)


def pieces(data, length):
    """The data in pieces of that length, in one where it is 0."""
    length = length or len(data)
    return [data[start : start + length] for start in range(0, len(data), length)]


def chunks(width, height, depth, color, frames, plays=0, palette=None, transparency=None, default=None, interlaced=False,
           piece_length=0, extras=(), **options):
    """The chunks of the file as (type, body).

    `default` is a default image that is not part of the animation, `transparency` the body of tRNS, `extras` chunks that
    are put behind every frame control and between image data chunks of `piece_length` bytes.
    """
    result = [(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlaced))]
    result.append((b"acTL", struct.pack(">II", len(frames), plays)))
    if palette is not None:
        result.append((b"PLTE", bytes(np.asarray(palette, np.uint8).reshape(-1))))
    if transparency is not None:
        result.append((b"tRNS", transparency))
    sequence = 0

    def image(samples):
        return pieces(compressed(samples, depth, interlaced, **options), piece_length)

    if default is not None:
        result += [(b"IDAT", piece) for piece in image(default)]
    for index, frame in enumerate(frames):
        rows, columns = frame.samples.shape[:2]
        control = struct.pack(">IIIIIHHBB", sequence, columns, rows, frame.x, frame.y, frame.numerator, frame.denominator,
                              frame.dispose, frame.blend)
        result.append((b"fcTL", control))
        result += extras
        sequence += 1
        for piece in image(frame.samples):
            if index == 0 and default is None:
                result.append((b"IDAT", piece))     # nothing may stand between these
            else:
                result.append((b"fdAT", struct.pack(">I", sequence) + piece))
                result += extras
                sequence += 1
    return result + [(b"IEND", b"")]


def assemble(parts):
    data = b"\x89PNG\r\n\x1a\n"
    for kind, body in parts:
        data += struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    return data


def apng(*arguments, **options):
    return assemble(chunks(*arguments, **options))


def eight_bits(values, depth):
    """Samples of `depth` bits as 8-bit values."""
    values = values.astype(np.int64)
    return ((values * 255 + 32895) >> 16 if depth == 16 else values * (255 // ((1 << depth) - 1))).astype(np.uint8)


def rgba(samples, depth, color, palette=None, transparency=None):
    """What the samples mean: straight RGBA of 8 bits."""
    height, width = samples.shape[:2]
    result = np.full((height, width, 4), 255, np.uint8)
    if color == PALETTE:
        result[:, :, :3] = np.asarray(palette, np.uint8)[samples[:, :, 0]]
        alphas = np.full(256, 255, np.uint8)
        alphas[: len(transparency or b"")] = list(transparency or b"")
        result[:, :, 3] = alphas[samples[:, :, 0]]
        return result
    values = eight_bits(samples, depth)
    result[:, :, :3] = values[:, :, :3] if color in (RGB, RGBA) else values[:, :, :1]
    if color in (GRAY_ALPHA, RGBA):
        result[:, :, 3] = values[:, :, -1]
    elif transparency is not None:
        key = np.frombuffer(transparency, ">u2")
        result[:, :, 3] = np.where((samples == key).all(axis=2), 0, 255)
    return result
