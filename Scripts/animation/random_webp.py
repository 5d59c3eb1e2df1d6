"""Random WebP files by cwebp, img2webp, webpmux, Pillow, libwebp and the writer here. `webp(rng, number, tools, kinds)` gives a
description and the bytes; `tools` has a folder for the files of the programs. `rng` is a `random.Random`, and everything
follows from its seed and the number, which says the size of a still.
"""
import collections
import io
import os
import subprocess

import numpy as np
from PIL import Image

import random_files
import webp_writer
from random_files import field, generator, rectangle


# A folder, and the program encode-partitions.
Tools = collections.namedtuple("Tools", "folder encoder")

SIDE = 40


def run(folder, pixels, *options):
    """A file by cwebp."""
    source, target = os.path.join(folder, "source.png"), os.path.join(folder, "target.webp")
    Image.fromarray(pixels).save(source, compress_level=1)
    subprocess.run(["cwebp", "-quiet", *options, source, "-o", target], check=True, capture_output=True)
    with open(target, "rb") as file:
        return file.read()


def still_size(rng, number):
    """Every size up to 40 pixels both ways, one after the other; now and then a large one."""
    if rng.random() < 0.01:
        sides = [rng.choice([16383, rng.randint(3000, 16383)]), rng.randint(1, 3)]
        rng.shuffle(sides)
        return sides
    if rng.random() < 0.015:
        return rng.randint(400, 2000), rng.randint(400, 2000)
    if rng.random() < 0.06:
        return rng.randint(60, 400), rng.randint(60, 400)
    return 1 + number % SIDE, 1 + number // SIDE % SIDE


def colors(rng, width, height):
    """RGB: a field for each channel, or a palette of 1...256 colors."""
    if rng.random() < 0.4:
        count = rng.choice([1, 2, 3, 4, 5, 8, 15, 16, 17, 64, 200, 256])
        palette = generator(rng).integers(0, 256, (count, 3))
        return palette[field(rng, width, height, count - 1)].astype(np.uint8)
    if rng.random() < 0.2:
        return np.repeat(field(rng, width, height, 255)[:, :, None], 3, 2).astype(np.uint8)
    return np.stack([field(rng, width, height, 255) for _ in range(3)], 2).astype(np.uint8)


def pixels(rng, width, height):
    """RGB or RGBA."""
    result = colors(rng, width, height)
    if rng.random() < 0.5:
        return result
    alpha = field(rng, width, height, 255)
    if rng.random() < 0.4:
        alpha = np.where(alpha > 127, 255, 0)
    return np.concatenate([result, alpha[:, :, None]], 2).astype(np.uint8)


def lossless_options(rng):
    options = ["-lossless"]
    if rng.random() < 0.7:
        options = ["-z", str(rng.randint(0, 9))]
    elif rng.random() < 0.4:
        options = ["-near_lossless", str(rng.randint(0, 100))]
    elif rng.random() < 0.5:
        options += ["-q", str(rng.randint(0, 100)), "-m", str(rng.randint(0, 6))]
    return options + (["-exact"] if rng.random() < 0.5 else [])


def lossy_options(rng, is_large=False):
    """Any of cwebp's; of large pictures those that take long are left out."""
    passes = 1 if is_large else rng.choice([1, 2, 3, 3, 10])
    options = ["-q", str(rng.randint(0, 100)), "-m", str(rng.randint(0, 4 if is_large else 6))]
    choices = [
        ["-segments", str(rng.randint(1, 4))], ["-f", str(rng.choice([0, 100, rng.randint(0, 100)]))],
        ["-sharpness", str(rng.randint(0, 7))], ["-strong"], ["-nostrong"], ["-sns", str(rng.randint(0, 100))],
        ["-pass", str(passes)], ["-partition_limit", str(rng.randint(0, 100))], ["-sharp_yuv"], ["-jpeg_like"],
        ["-alpha_q", str(rng.randint(0, 100))], ["-alpha_method", str(rng.randint(0, 1))],
        ["-alpha_filter", rng.choice(["none", "fast", "best"])], ["-exact"], ["-low_memory"], ["-noalpha"],
        ["-preset", rng.choice(["default", "photo", "picture", "drawing", "icon", "text"])],
    ]
    if not is_large:
        choices += [["-af"], ["-size", str(rng.randint(40, 4000))], ["-psnr", str(rng.randint(20, 50))],
                    ["-blend_alpha", "0xc0e0d0"]]
    for option in rng.sample(choices, rng.randint(0, 6)):
        # A preset has to come first, and sets everything anew.
        options = option + options if option[0] == "-preset" else options + option
    return options


def options(rng, kinds, is_large=False):
    return lossless_options(rng) if rng.choice(kinds) == "lossless" else lossy_options(rng, is_large)


def extended(rng, data, pixels):
    """The file with an extended header, metadata and unknown chunks, or as it is."""
    parts = webp_writer.parts(data)
    if rng.random() < 0.6 or any(kind == b"VP8X" for kind, _ in parts):
        return data
    noise = [(rng.choice([b"ICCP", b"EXIF", b"XMP ", b"abcd"]), bytes(rng.randrange(256) for _ in range(rng.randint(1, 40))))
             for _ in range(rng.randint(0, 3))]
    chunks = [webp_writer.chunk(*part) for part in parts]
    for part in noise:
        chunks.insert(rng.randint(0, len(chunks)), webp_writer.chunk(*part))
    height, width = pixels.shape[:2]
    flags = rng.choice([0, webp_writer.ALPHA, rng.randrange(256) & ~webp_writer.ANIMATION])
    return webp_writer.still(flags, width, height, *chunks) + bytes(rng.choice([0, 0, 0, 5]))


def still(rng, number, tools, kinds):
    width, height = still_size(rng, number)
    picture = pixels(rng, width, height)
    chosen = options(rng, kinds, width * height > 400 * 400)
    data = run(tools.folder, picture, *chosen)
    return "cwebp " + " ".join(chosen), extended(rng, data, picture)


def partitions(rng, number, tools, kinds):
    """A lossy picture of up to eight token partitions."""
    if "lossy" not in kinds:
        return still(rng, number, tools, kinds)
    width, height = still_size(rng, number)
    # Enough rows of macroblocks for all of them.
    height = min(height * rng.randint(1, 8), (1 << 20) // width, 16383) if width * height < 1 << 20 else height
    picture = colors(rng, width, height)
    arguments = [str(value) for value in (width, height, rng.randint(0, 100), rng.randint(1, 3))]
    process = subprocess.run([tools.encoder, *arguments], input=picture.tobytes(), capture_output=True, check=True)
    return "encode-partitions " + " ".join(arguments), extended(rng, process.stdout, picture)


def alpha_by_hand(rng, number, tools, kinds):
    """A lossy picture with alpha that is not compressed, by any filter."""
    if "lossy" not in kinds:
        return still(rng, number, tools, kinds)
    width, height = rng.randint(1, 40), rng.randint(1, 40)
    picture = colors(rng, width, height)
    payload = dict(webp_writer.parts(run(tools.folder, picture, *lossy_options(rng))))[b"VP8 "]
    method, reduced = rng.randint(0, 3), rng.randint(0, 1)
    alpha = webp_writer.raw_alpha(field(rng, width, height, 255).astype(np.uint8), method, reduced)
    data = webp_writer.still(webp_writer.ALPHA, width, height, alpha, webp_writer.chunk(b"VP8 ", payload))
    return f"raw alpha, filter {method}", data


def own_animation(rng, number, tools, kinds):
    """Any rectangles, blending and disposal."""
    width, height = rng.randint(1, 60), rng.randint(1, 60)
    frames = []
    for index in range(rng.choice([1, 2, 3, 4, 5, 6])):
        x, y, columns, rows = rectangle(rng, width, height)
        x, y = x & ~1, y & ~1
        picture = run(tools.folder, pixels(rng, columns, rows), *options(rng, kinds))
        chunks = b"".join(webp_writer.chunk(*part) for part in webp_writer.parts(picture)
                          if part[0] in (b"ALPH", b"VP8 ", b"VP8L"))
        noise = webp_writer.chunk(b"abcd", b"123") if rng.random() < 0.1 else b""
        frames.append(webp_writer.frame(x, y, columns, rows, rng.choice([0, 10, 100, rng.randrange(1 << 24)]),
                                        rng.randint(0, 3), chunks, noise))
        if rng.random() < 0.1:
            frames.append(webp_writer.chunk(rng.choice([b"abcd", b"EXIF"]), b"odd"))
    head = webp_writer.extended(webp_writer.ANIMATION | rng.choice([0, webp_writer.ALPHA]), width, height)
    background = bytes(rng.randrange(256) for _ in range(4))
    return "own animation", webp_writer.riff(head, webp_writer.animation(rng.choice([0, 1, 7]), background), *frames)


def webpmux_animation(rng, number, tools, kinds):
    """Files by cwebp, lossy and lossless, put together by webpmux with offsets, disposal and blending."""
    width, height = rng.randint(2, 60), rng.randint(2, 60)
    names, arguments = [], []
    for index in range(rng.choice([1, 2, 3, 5])):
        # The first one covers the canvas, whose size webpmux takes from the frames.
        x, y, columns, rows = rectangle(rng, width, height) if index else (0, 0, width, height)
        x, y = x & ~1, y & ~1
        names.append(os.path.join(tools.folder, f"frame{index}.webp"))
        with open(names[-1], "wb") as file:
            file.write(run(tools.folder, pixels(rng, columns, rows), *options(rng, kinds)))
        # Duration, place, disposal and blending: +di[+xoff+yoff[+dispose[blend]]].
        place = f"+{rng.randint(0, 300)}+{x}+{y}+{rng.randint(0, 1)}" + rng.choice(["+b", "-b"])
        arguments += ["-frame", names[-1], place]
    target = os.path.join(tools.folder, "movie.webp")
    command = ["webpmux", *arguments, "-loop", str(rng.choice([0, 1, 4])), "-bgcolor", "255,9,99,200", "-o", target]
    subprocess.run(command, capture_output=True, check=True)
    for name in names:
        os.remove(name)
    with open(target, "rb") as file:
        return "webpmux " + " ".join(arguments[2::3]), file.read()


def pillow_animation(rng, number, tools, kinds):
    pictures = random_files.scenes(rng, rng.choice(["RGB", "RGBA"]))
    out = io.BytesIO()
    pictures[0].save(
        out, "WEBP", save_all=True, append_images=pictures[1:], duration=rng.randint(0, 300), loop=rng.choice([0, 1, 4]),
        lossless="lossless" in kinds and ("lossy" not in kinds or rng.random() < 0.5), quality=rng.randint(0, 100),
        method=rng.randint(0, 6), minimize_size=rng.random() < 0.5, allow_mixed="lossy" in kinds and rng.random() < 0.5,
        exact=rng.random() < 0.5, kmin=rng.choice([0, 3]), kmax=rng.choice([1, 5]))
    return "Pillow animation", out.getvalue()


def img2webp_animation(rng, number, tools, kinds):
    pictures = random_files.scenes(rng, rng.choice(["RGB", "RGBA"]))
    names = []
    for index, picture in enumerate(pictures):
        names.append(os.path.join(tools.folder, f"frame{index}.png"))
        picture.save(names[-1], compress_level=1)
    target = os.path.join(tools.folder, "movie.webp")
    mixed = ["-mixed"] if "lossy" in kinds and "lossless" in kinds and rng.random() < 0.5 else []
    arguments = ["img2webp", "-loop", str(rng.choice([0, 1, 4])), *mixed]
    if rng.random() < 0.5:
        arguments.append("-min_size")
    for name in names:
        kind = "-lossless" if rng.choice(kinds) == "lossless" else "-lossy"
        arguments += ["-d", str(rng.randint(1, 300)), kind, "-q", str(rng.randint(0, 100)), "-m",
                      str(rng.randint(0, 6)), name]
    subprocess.run(arguments + ["-o", target], capture_output=True, check=True)
    for name in names:
        os.remove(name)
    with open(target, "rb") as file:
        return "img2webp " + " ".join(mixed), file.read()


def webp(rng, number, tools, kinds):
    makers = [still, partitions, alpha_by_hand, own_animation, webpmux_animation, pillow_animation, img2webp_animation]
    return rng.choices(makers, [56, 8, 6, 14, 6, 5, 5])[0](rng, number, tools, kinds)


def damaged(rng, data):
    """The file cut, spoiled, or with spoiled chunks in a sound container."""
    if rng.random() < 0.25:
        return data[: rng.randrange(len(data))]
    if rng.random() < 0.4:
        return random_files.spoiled(rng, data)
    parts = webp_writer.parts(data)
    if not parts:
        return random_files.spoiled(rng, data)
    place = rng.randrange(len(parts))
    kind, body = parts[place]
    choice = rng.random()
    if choice < 0.7 and body:
        parts[place] = kind, random_files.spoiled(rng, body)
    elif choice < 0.8:
        del parts[place]
    elif choice < 0.9:
        parts.insert(place, parts[place])
    else:
        parts.insert(rng.randrange(len(parts)), parts.pop(place))
    return webp_writer.riff(*[webp_writer.chunk(*part) for part in parts])
