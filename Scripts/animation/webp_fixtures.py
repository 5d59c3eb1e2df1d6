"""The files of Tests/Fixtures/webp and what decoders make of them. `make-fixtures webp` writes them."""
import struct

import numpy as np

import webp_reference
from apng_fixtures import glass, waves
from gif_reference import Damaged
from webp_writer import (ALPHA, ANIMATION, CLEAR, EXIF, GRADIENT, HORIZONTAL, ICC, NONE, REPLACE, VERTICAL, XMP,
                         animation, bitstream, chunk, encoded, extended, filtered, frame, lossless, number, opened,
                         parts, raw_alpha, riff, still)

WIDTH, HEIGHT = 36, 26


def scene(phase=0.0, width=WIDTH, height=HEIGHT):
    return np.stack([waves(width, height, phase + k) * 255 + 0.5 for k in range(3)], 2).astype(np.uint8)


def with_alpha(pixels, phase=0.5):
    """Alpha of every kind: none, some, all."""
    height, width = pixels.shape[:2]
    alpha = np.clip(waves(width, height, phase) * 500 - 120, 0, 255).astype(np.uint8)
    return np.concatenate([pixels, alpha[:, :, None]], 2)


def palette(count, width=WIDTH, height=HEIGHT):
    colors = np.array([[k * 89 % 256, k * 37 % 256, 255 - k * 53 % 256] for k in range(count)], np.uint8)
    indices = (waves(width, height, count) * count).astype(int).clip(0, count - 1)
    indices.flat[:count] = range(count)
    return colors[indices]


def exif(orientation):
    entry = struct.pack(">HHIHH", 0x0112, 3, 1, orientation, 0)
    return b"MM\0\x2a\0\0\0\x08" + struct.pack(">H", 1) + entry + bytes(4)


def stills():
    plain, alpha = scene(), with_alpha(scene())
    picture = lossless(plain)
    profile = bytes(range(128))
    lossy = encoded(plain, "-q", "80")
    payload = dict(parts(lossy))[b"VP8 "]
    level = alpha[:, :, 3]
    reduced = level // 64 * 85
    size = (WIDTH, HEIGHT)
    files = {
        "lossless.webp": encoded(plain, "-lossless"),
        "lossless-alpha.webp": encoded(alpha, "-lossless"),
        "lossless-alpha-exact.webp": encoded(alpha, "-lossless", "-exact"),
        "lossless-fast.webp": encoded(plain, "-lossless", "-z", "0"),
        "lossless-best.webp": encoded(plain, "-lossless", "-z", "9"),
        "near-lossless.webp": encoded(plain, "-near_lossless", "40"),
        "one-pixel.webp": encoded(alpha[9:10, 9:10], "-lossless", "-exact"),
        "one-column.webp": encoded(plain[:, :1], "-lossless"),
        "metadata-in-front.webp": still(ICC | EXIF | XMP, *size, chunk(b"ICCP", profile), chunk(b"EXIF", exif(6)),
                                        chunk(b"XMP ", b"<x:xmpmeta/>"), picture),
        "metadata-behind.webp": still(ICC | EXIF | XMP, *size, chunk(b"ICCP", profile), picture, chunk(b"EXIF", exif(6)),
                                      chunk(b"XMP ", b"<x:xmpmeta/>")),
        "metadata-unannounced.webp": still(0, *size, picture, chunk(b"EXIF", b"Exif\0\0" + exif(3)), chunk(b"XMP ", b"odd")),
        "unknown-chunks.webp": still(0, *size, chunk(b"abcd", b"12345"), picture, chunk(b"\1\2\3\4", b"")),
        "flags-lie.webp": still(ALPHA | ICC, *size, picture),
        "trailing-bytes.webp": riff(picture) + b"more bytes",
        "chunk-behind-too-long.webp": riff(picture, b"abcd" + struct.pack("<I", 1000) + b"1234"),
        "last-bytes-are-no-chunk.webp": riff(picture, b"1234"),
        "two-pictures.webp": riff(picture, lossless(scene(2))),
        "lossy.webp": lossy,
        "lossy-alpha.webp": encoded(alpha, "-q", "70"),
        "lossy-alpha-reduced.webp": encoded(alpha, "-q", "70", "-alpha_q", "20"),
        "lossy-alpha-flag.webp": still(ALPHA, *size, chunk(b"VP8 ", payload)),
        "lossy-alpha-twice.webp": still(ALPHA, *size, raw_alpha(255 - level), raw_alpha(level), chunk(b"VP8 ", payload)),
        "lossy-alpha-raw-reduced.webp": still(ALPHA, *size, raw_alpha(reduced, GRADIENT, 1), chunk(b"VP8 ", payload)),
        "lossy-alpha-surplus.webp": still(ALPHA, *size, chunk(b"ALPH", b"\0" + level.tobytes() + b"more"),
                                          chunk(b"VP8 ", payload)),
    }
    for count in [1, 2, 3, 4, 5, 16, 17, 200]:
        files[f"palette-{count}.webp"] = encoded(palette(count), "-lossless", "-z", "9")
    for name, method in [("none", NONE), ("horizontal", HORIZONTAL), ("vertical", VERTICAL), ("gradient", GRADIENT)]:
        files[f"lossy-alpha-raw-{name}.webp"] = still(ALPHA, *size, raw_alpha(level, method), chunk(b"VP8 ", payload))
        # The same compressed: a lossless picture of which green is alpha, without its header.
        green = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
        green[:, :, 1] = filtered(level, method)
        green = dict(parts(encoded(green, "-lossless")))[b"VP8L"][5:]
        files[f"lossy-alpha-lossless-{name}.webp"] = still(
            ALPHA, *size, chunk(b"ALPH", bytes([1 | method << 2]) + green), chunk(b"VP8 ", payload))
    return files


def movie(*frames, loop=0, flags=ANIMATION | ALPHA, width=WIDTH, height=HEIGHT, behind=b""):
    return riff(extended(flags, width, height), animation(loop, b"\x20\x40\x80\xff"), *frames, behind)


def whole(phase, flags=0, milliseconds=100):
    return frame(0, 0, WIDTH, HEIGHT, milliseconds, flags, lossless(scene(phase)))


def pane(x, y, color, flags, alpha=128, side=12):
    return frame(x, y, side, side, 80, flags, lossless(glass(side, color, alpha)))


def patches(flags):
    """A frame with a hole, then panes of colored glass, each with those flags."""
    base = np.where(waves(WIDTH, HEIGHT, 1) > 0.5, 255, 0)
    base = np.stack([base, 255 - base, base * 0, base * 0 + 255], 2)
    base[16:, 20:] = 0
    panes = [pane(4 + 6 * k, 2 + 4 * k, color, flags)
             for k, color in enumerate([(255, 0, 0), (0, 255, 255), (255, 255, 255), (0, 0, 255)])]
    return [frame(0, 0, WIDTH, HEIGHT, 80, 0, lossless(base)), *panes]


def tiny():
    """The file that the article on the container walks through."""
    red = np.full((2, 4, 3), [255, 0, 0], np.uint8)
    dot = np.full((1, 1, 4), [0, 0, 255, 128], np.uint8)
    return riff(extended(ANIMATION | ALPHA | XMP, 4, 2), animation(3, b"\xff\xff\xff\xff"),
                frame(0, 0, 4, 2, 100, REPLACE, lossless(red)), frame(2, 0, 1, 1, 250, CLEAR, lossless(dot)),
                chunk(b"XMP ", b"<x/>\n"))


def animations():
    files = {
        "tiny-animation.webp": tiny(),
        "five-frames-100ms.webp": movie(*[whole(k) for k in range(5)]),
        "one-frame.webp": movie(whole(0)),
        "plays-1.webp": movie(whole(0), whole(1), loop=1),
        "plays-3.webp": movie(whole(0), whole(1), loop=3),
        "durations.webp": movie(whole(0, milliseconds=0), whole(1, milliseconds=10), whole(2, milliseconds=0xFFFFFF)),
        "blend-keep.webp": movie(*patches(0)),
        "blend-clear.webp": movie(*patches(CLEAR)),
        "replace-keep.webp": movie(*patches(REPLACE)),
        "replace-clear.webp": movie(*patches(REPLACE | CLEAR)),
        "first-frame-clear.webp": movie(whole(0, CLEAR), pane(10, 10, (255, 0, 0), 0)),
        "small-first-frame.webp": movie(pane(10, 8, (0, 255, 0), 0), pane(4, 2, (255, 0, 0), 0), whole(1)),
        "opaque-small-first-frame.webp": movie(frame(6, 4, 20, 12, 50, 0, lossless(scene(0, 20, 12))), whole(1)),
        "unknown-chunks-in-frames.webp": movie(
            frame(0, 0, WIDTH, HEIGHT, 50, 0, chunk(b"abcd", b"odd"), lossless(scene(0)), chunk(b"efgh", b"odd"))
            + frame(2, 2, 12, 12, 50, 0, lossless(glass(12, (255, 0, 0), 200)), chunk(b"ijkl", b"123"))),
        "empty-frame.webp": movie(whole(0), frame(0, 0, 4, 4, 50, 0), whole(1)),
        "frame-size-differs.webp": movie(whole(0), frame(4, 2, 30, 20, 50, 0, lossless(glass(12, (255, 0, 0), 255)))),
        "metadata-behind-frames.webp": movie(whole(0), whole(1), flags=ANIMATION | EXIF, behind=chunk(b"EXIF", exif(6))),
        "mixed-lossy.webp": movie(
            frame(0, 0, WIDTH, HEIGHT, 50, 0, bitstream(scene(0), "-q", "60")), pane(4, 4, (255, 0, 0), 0),
            frame(2, 2, 24, 18, 50, CLEAR, bitstream(with_alpha(scene(2, 24, 18)), "-q", "60")), whole(1, REPLACE)),
    }
    return files


def damaged():
    plain = scene()
    picture = lossless(plain)
    payload = parts(riff(picture))[0][1]
    level = with_alpha(plain)[:, :, 3]
    lossy = bitstream(plain, "-q", "60")
    file = riff(picture)
    movie_file = movie(*[whole(k) for k in range(3)])
    size = (WIDTH, HEIGHT)
    return {
        "cut.webp": (file[: len(file) * 3 // 5], "truncated"),
        "cut-in-head.webp": (file[:10], "truncated"),
        "cut-in-second-frame.webp": (movie_file[: len(movie_file) // 2], "truncated"),
        "cut-behind-picture.webp": (riff(picture, size=len(file) + 20), "truncated"),
        "riff-size-zero.webp": (riff(picture, size=0), "corrupt"),
        "picture-too-long.webp": (riff(b"VP8L" + struct.pack("<I", len(payload) + 9) + payload), "corrupt"),
        "picture-too-short.webp": (riff(chunk(b"VP8L", payload[: len(payload) // 2]), chunk(b"abcd", payload)), "corrupt"),
        "no-signature.webp": (riff(chunk(b"VP8L", b"\0" + payload[1:])), "corrupt"),
        "unknown-chunk-first.webp": (riff(chunk(b"abcd", b""), picture), "corrupt"),
        "alpha-first.webp": (riff(raw_alpha(level), lossy), "corrupt"),
        "no-picture.webp": (still(0, *size, chunk(b"abcd", b"1234")), "corrupt"),
        "extended-long.webp": (riff(chunk(b"VP8X", bytes([0, 0, 0, 0, WIDTH - 1, 0, 0, HEIGHT - 1, 0, 0, 0, 0])), picture),
                               "corrupt"),
        "extended-short.webp": (riff(chunk(b"VP8X", bytes(9)), picture), "corrupt"),
        "canvas-differs.webp": (still(0, WIDTH + 1, HEIGHT, picture), "corrupt"),
        "canvas-2-to-32.webp": (still(0, 1 << 16, 1 << 16, picture), "corrupt"),
        "canvas-largest-side.webp": (still(ANIMATION, 1 << 24, 255, animation(), whole(0)), "limitExceeded"),
        "frame-without-header.webp": (riff(extended(ANIMATION, *size), whole(0)), "corrupt"),
        "frame-outside.webp": (movie(whole(0), pane(26, 4, (255, 0, 0), 0)), "corrupt"),
        "frame-short.webp": (movie(whole(0), chunk(b"ANMF", bytes(15))), "corrupt"),
        "frame-cut.webp": (movie(whole(0), whole(1)[:-40] + whole(2)), "corrupt"),
        "picture-in-animation.webp": (movie(whole(0), picture), "corrupt"),
        "two-pictures-in-frame.webp": (movie(frame(0, 0, *size, 50, 0, picture, picture)), "corrupt"),
        "alpha-with-lossless.webp": (movie(frame(0, 0, *size, 50, 0, raw_alpha(level), picture)), "corrupt"),
        "second-frame-damaged.webp": (movie(whole(0), frame(0, 0, *size, 50, 0, chunk(b"VP8L", payload[:40])), whole(1)),
                                      "corrupt"),
        "no-frame.webp": (movie(), "corrupt"),
        "lossy-alpha-short.webp": (still(ALPHA, *size, chunk(b"ALPH", b"\0" + level.tobytes()[:-100]), lossy), "corrupt"),
        "lossy-alpha-unknown.webp": (still(ALPHA, *size, chunk(b"ALPH", b"\x02" + level.tobytes()), lossy), "corrupt"),
    }


# What Pillow does not open, because libwebp's demuxer refuses what its decoder does not look at.
OF_DWEBP_ALONE = {"chunk-behind-too-long.webp", "last-bytes-are-no-chunk.webp", "two-pictures.webp",
                  "lossy-alpha-twice.webp"}


def fixtures():
    files, expected = {}, {}
    for name, data in stills().items():
        result = webp_reference.decode(data)
        if name not in OF_DWEBP_ALONE:
            assert (result.frames[0] == opened(data)).all(), name
        files[name] = data
        crc = result.checksums()[0]
        expected[name] = {"width": result.width, "height": result.height, "loop": None, "durationsMS": None,
                          "rgbaCRC32": crc}
    for name, data in animations().items():
        result = webp_reference.decode(data)
        files[name] = data
        expected[name] = {"width": result.width, "height": result.height, "loop": result.loop,
                          "durationsMS": result.durations, "frameCRC32": result.checksums()}
    for name, (data, error) in damaged().items():
        try:
            webp_reference.decode(data)
            assert False, name
        except Damaged as problem:
            assert problem.kind == error or error == "limitExceeded", (name, problem.kind)
        files[name] = data
        expected[name] = {"error": error}
    return files, expected
