"""The files of Tests/Fixtures/gif and what decoders make of them. `make-fixtures gif` writes them."""
import io
import subprocess

import numpy as np
from PIL import Image

import gif_reference
from gif_writer import (CodeWriter, application, comment, gif, graphic_control, image, image_descriptor, loop, plain_text,
                        sub_blocks, xmp)

WIDTH, HEIGHT = 32, 24


def colors(count, turn=0.0):
    """Color table entries from dark to light, the hue turning."""
    k = np.arange(count) / max(1, count - 1)
    waves = [np.sin(6.3 * (k + turn + shift)) for shift in (0, 1 / 3, 2 / 3)]
    return np.stack([40 + 175 * k + 40 * wave for wave in waves], 1).astype(np.uint8)


def plasma(width, height, levels, phase=0.0):
    """Interfering waves in so many levels."""
    y, x = np.mgrid[0:height, 0:width]
    waves = np.sin(x / 5 + phase) + np.sin(y / 4 - phase) + np.sin((x + y) / 7 + 2 * phase)
    return np.clip((waves + 3) / 6 * levels, 0, levels - 1).astype(np.uint8)


def diamond(side, inside, outside):
    """A diamond of one color index on another."""
    y, x = np.mgrid[0:side, 0:side]
    return np.where(abs(x - side // 2) + abs(y - side // 2) <= side // 2, inside, outside).astype(np.uint8)


def still(blocks=(), pixels=None, **options):
    pixels = plasma(WIDTH, HEIGHT, 16) if pixels is None else pixels
    rows, columns = pixels.shape
    return gif(columns, rows, [*blocks, image(pixels, **options)], colors(int(pixels.max()) + 1))


def movie(count, delay=12, **options):
    """Whole frames, one after another."""
    return b"".join(graphic_control(delay) + image(plasma(WIDTH, HEIGHT, 16, k * 0.7), **options) for k in range(count))


def patches(disposals, first=1, delay=7):
    """A whole frame, then diamonds on a transparent ground in different places, with these disposals."""
    blocks = [loop(0), graphic_control(delay, first), image(plasma(WIDTH, HEIGHT, 12))]
    for k, disposal in enumerate(disposals):
        patch = image(diamond(11, 12 + k % 3, 15), 3 + 6 * k % 20, 2 + 4 * k % 11)
        blocks += [graphic_control(delay, disposal, transparent=15), patch]
    return gif(WIDTH, HEIGHT, blocks, colors(16, 0.2))


def deferred_clear():
    """The table fills up with 4096 strings, and codes go on without a clear code."""
    noise = np.random.RandomState(3).randint(0, 16, (84, 110))
    return gif(110, 84, [image(noise, minimum_code_size=8, clears=False)], colors(16))


def optimized():
    """Frames with little movement, optimized with 16 colors by gifsicle."""
    blocks = [loop(0)]
    for k in range(6):
        scene = np.minimum(plasma(48, 36, 40) + 2, 39)
        scene[12:23, 3 + 6 * k : 14 + 6 * k] = diamond(11, 0, 1)
        blocks += [graphic_control(8), image(scene)]
    plain = gif(48, 36, blocks, colors(40, 0.5))
    return subprocess.run(["gifsicle", "-O3", "--colors", "16"], input=plain, capture_output=True, check=True).stdout


def out_of_range():
    """Eight sound codes, then one that is two behind the end of the table."""
    writer = CodeWriter()
    for code, size in [(16, 5)] + [(k, 5) for k in range(8)] + [(26, 5), (17, 5)]:
        writer.write(code, size)
    return gif(WIDTH, HEIGHT, [image_descriptor(0, 0, WIDTH, HEIGHT) + b"\4" + sub_blocks(writer.finish())], colors(16))


def sound_files():
    frames = movie(2)
    files = {
        "still-87a.gif": gif(WIDTH, HEIGHT, [image(plasma(WIDTH, HEIGHT, 16))], colors(16), version=b"87a"),
        "still-transparent.gif": still([graphic_control(transparent=7)]),
        "interlaced.gif": still(pixels=plasma(37, 29, 16), interlaced=True),
        "interlaced-3-rows.gif": still(pixels=plasma(9, 3, 16), interlaced=True),
        "local-table.gif": gif(WIDTH, HEIGHT, [image(plasma(WIDTH, HEIGHT, 16)),
                                               image(plasma(20, 16, 8), 5, 3, table=colors(8, 0.6))], colors(16)),
        "no-global-table.gif": gif(WIDTH, HEIGHT, [image(plasma(WIDTH, HEIGHT, 16), table=colors(16))]),
        "five-frames-120ms.gif": gif(WIDTH, HEIGHT, [loop(0), movie(5)], colors(16)),
        "two-frames-no-loop.gif": gif(WIDTH, HEIGHT, [frames], colors(16)),
        "loop-count-3.gif": gif(WIDTH, HEIGHT, [loop(3), frames], colors(16)),
        "animexts-loop.gif": gif(WIDTH, HEIGHT, [loop(0, b"ANIMEXTS1.0"), frames], colors(16)),
        "delays-0-and-1.gif": gif(WIDTH, HEIGHT, [loop(0), movie(1, 0), movie(1, 1), movie(1, 65535)], colors(16)),
        "restore-chain.gif": patches([3, 3, 2, 3, 1, 3, 0, 2, 3, 3]),
        "first-frame-restore.gif": patches([1, 1], first=3),
        "first-frame-background.gif": patches([1, 1], first=2),
        "small-first-frame.gif": gif(WIDTH, HEIGHT, [loop(0), graphic_control(9, 1), image(plasma(13, 9, 16), 11, 7),
                                                     graphic_control(9, 2), image(plasma(10, 10, 16, 2), 2, 3),
                                                     graphic_control(9), image(plasma(8, 5, 16, 3), 24, 19)], colors(16)),
        "partly-outside.gif": gif(WIDTH, HEIGHT, [loop(0), movie(1), graphic_control(12), image(plasma(16, 16, 16), 22, 14)],
                                  colors(16)),
        "zero-screen.gif": gif(0, 0, [image(plasma(WIDTH, HEIGHT, 16))], colors(16)),
        "deferred-clear.gif": deferred_clear(),
        "extra-clears.gif": still(clear_at=30, doubled_clears=True),
        "literals-only.gif": still(longest_match=1, clear_at=31),
        "short-sub-blocks.gif": still(block_length=1),
        "no-first-clear.gif": still(starts_with_clear=False),
        "no-end-code.gif": still(ends_with_code=False),
        "no-color-table.gif": gif(WIDTH, HEIGHT, [image(plasma(WIDTH, HEIGHT, 16))]),
        "no-data.gif": gif(1, 1, [image_descriptor(0, 0, 1, 1, 0) + b"\2\0"]),
        "no-trailer.gif": gif(WIDTH, HEIGHT, [loop(0), movie(2)], colors(16), trailer=b""),
        "comment.gif": still([comment(b"Plasma, computed"), comment(b"A second comment, " * 20)]),
        "xmp.gif": still([xmp(b'<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"/>'
                              b'<?xpacket end="w"?>'), application(b"EXAMPLE 1.0", b"nothing of ours")]),
        "plain-text.gif": gif(WIDTH, HEIGHT, [loop(0), movie(1), plain_text(0, 0, 24, 8, b"GIF"), movie(1)], colors(16)),
        "gifsicle-optimized.gif": optimized(),
    }
    for disposal in range(8):
        files[f"disposal-{disposal}.gif"] = patches([disposal] * 4)
    for size in range(2, 9):
        files[f"code-size-{size}.gif"] = still(pixels=plasma(40, 30, 1 << size), minimum_code_size=size)
    files["code-size-8-two-colors.gif"] = still(pixels=plasma(40, 30, 2), minimum_code_size=8)
    return files


def damaged_files():
    whole = still()
    frames = gif(WIDTH, HEIGHT, [loop(0), movie(3)], colors(16))
    return {
        "cut-in-codes.gif": (whole[: len(whole) * 2 // 3], "truncated"),
        "cut-in-third-frame.gif": (frames[:-40], "truncated"),
        "code-out-of-range.gif": (out_of_range(), "corrupt"),
    }


def unpacked_twice(frame):
    """The color indices of a frame: by our reader, and by Pillow from a file with nothing else in it."""
    flags = 0x40 * frame.is_interlaced
    alone = gif(frame.width, frame.height, [image_descriptor(0, 0, frame.width, frame.height, flags)
                                           + bytes([frame.minimum_code_size]) + sub_blocks(frame.codes)],
                np.arange(256).repeat(3).reshape(256, 3))
    pixels = gif_reference.indices(frame)
    with Image.open(io.BytesIO(alone)) as picture:
        if not np.array_equal(np.asarray(picture.convert("L")), pixels):
            raise ValueError("Pillow reads other pixels")
    return pixels


def expected(name, data):
    """Size, frames and times. Where a frame reaches over the edge of the screen, decoders disagree on the rest."""
    animation = gif_reference.decode(data, unpacked_twice)
    times = {"loop": animation.loop, "durationsMS": animation.durations}
    if name == "partly-outside.gif":
        return times
    checksums = animation.checksums()
    return times | {"width": animation.width, "height": animation.height, "frameCRC32": checksums, "rgbaCRC32": checksums[0]}


def fixtures():
    """The files by name, and what is expected of each."""
    files = sound_files()
    results = {name: expected(name, data) for name, data in files.items()}
    for name, (data, error) in damaged_files().items():
        files[name], results[name] = data, {"error": error}
    return files, results
