"""Random WebP files by cwebp, img2webp, Pillow and the writer here. `webp(rng, folder, kinds)` gives a description and the
bytes; `folder` is for the files of the programs. `rng` is a `random.Random`, and everything follows from its seed.
"""
import io
import os
import subprocess

import numpy as np
from PIL import Image

import random_files
import webp_writer
from random_files import field, generator, rectangle


def run(folder, pixels, *options):
    """A file by cwebp."""
    source, target = os.path.join(folder, "source.png"), os.path.join(folder, "target.webp")
    Image.fromarray(pixels).save(source, compress_level=1)
    subprocess.run(["cwebp", "-quiet", *options, source, "-o", target], check=True, capture_output=True)
    with open(target, "rb") as file:
        return file.read()


def random_size(rng):
    if rng.random() < 0.01:
        sides = [rng.choice([16383, rng.randint(3000, 16383)]), rng.randint(1, 3)]
        rng.shuffle(sides)
        return sides
    if rng.random() < 0.05:
        return rng.randint(60, 400), rng.randint(60, 400)
    return rng.randint(1, 40), rng.randint(1, 40)


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


def lossy_options(rng):
    options = ["-q", str(rng.randint(0, 100)), "-m", str(rng.randint(0, 6))]
    choices = [
        ["-segments", str(rng.randint(1, 4))], ["-f", str(rng.randint(0, 100))], ["-sharpness", str(rng.randint(0, 7))],
        ["-strong"], ["-nostrong"], ["-sns", str(rng.randint(0, 100))], ["-pass", str(rng.randint(1, 3))],
        ["-partition_limit", str(rng.randint(0, 100))], ["-sharp_yuv"], ["-jpeg_like"],
        ["-alpha_q", str(rng.randint(0, 100))], ["-alpha_method", str(rng.randint(0, 1))],
        ["-alpha_filter", rng.choice(["none", "fast", "best"])], ["-exact"], ["-af"],
        ["-preset", rng.choice(["default", "photo", "picture", "drawing", "icon", "text"])],
    ]
    for option in rng.sample(choices, rng.randint(0, 5)):
        # A preset has to come first, and sets everything anew.
        options = option + options if option[0] == "-preset" else options + option
    return options


def options(rng, kinds):
    return (lossless_options if rng.choice(kinds) == "lossless" else lossy_options)(rng)


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


def still(rng, folder, kinds):
    picture = pixels(rng, *random_size(rng))
    chosen = options(rng, kinds)
    return "cwebp " + " ".join(chosen), extended(rng, run(folder, picture, *chosen), picture)


def alpha_by_hand(rng, folder, kinds):
    """A lossy picture with alpha that is not compressed, by any filter."""
    if "lossy" not in kinds:
        return still(rng, folder, kinds)
    width, height = rng.randint(1, 40), rng.randint(1, 40)
    picture = colors(rng, width, height)
    payload = dict(webp_writer.parts(run(folder, picture, *lossy_options(rng))))[b"VP8 "]
    method, reduced = rng.randint(0, 3), rng.randint(0, 1)
    alpha = webp_writer.raw_alpha(field(rng, width, height, 255).astype(np.uint8), method, reduced)
    data = webp_writer.still(webp_writer.ALPHA, width, height, alpha, webp_writer.chunk(b"VP8 ", payload))
    return f"raw alpha, filter {method}", data


def own_animation(rng, folder, kinds):
    """Any rectangles, blending and disposal."""
    width, height = rng.randint(1, 60), rng.randint(1, 60)
    frames = []
    for index in range(rng.choice([1, 2, 3, 4, 5, 6])):
        x, y, columns, rows = rectangle(rng, width, height)
        x, y = x & ~1, y & ~1
        picture = run(folder, pixels(rng, columns, rows), *options(rng, kinds))
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


def pillow_animation(rng, folder, kinds):
    pictures = random_files.scenes(rng, rng.choice(["RGB", "RGBA"]))
    out = io.BytesIO()
    pictures[0].save(
        out, "WEBP", save_all=True, append_images=pictures[1:], duration=rng.randint(0, 300), loop=rng.choice([0, 1, 4]),
        lossless="lossless" in kinds and ("lossy" not in kinds or rng.random() < 0.5), quality=rng.randint(0, 100),
        method=rng.randint(0, 6), minimize_size=rng.random() < 0.5, allow_mixed="lossy" in kinds and rng.random() < 0.5,
        exact=rng.random() < 0.5, kmin=rng.choice([0, 3]), kmax=rng.choice([1, 5]))
    return "Pillow animation", out.getvalue()


def img2webp_animation(rng, folder, kinds):
    pictures = random_files.scenes(rng, rng.choice(["RGB", "RGBA"]))
    names = []
    for index, picture in enumerate(pictures):
        names.append(os.path.join(folder, f"frame{index}.png"))
        picture.save(names[-1], compress_level=1)
    target = os.path.join(folder, "movie.webp")
    mixed = ["-mixed"] if "lossy" in kinds and "lossless" in kinds and rng.random() < 0.5 else []
    arguments = ["img2webp", "-loop", str(rng.choice([0, 1, 4])), *mixed]
    if rng.random() < 0.5:
        arguments.append("-min_size")
    for name in names:
        kind = "-lossless" if rng.choice(kinds) == "lossless" else "-lossy"
        arguments += ["-d", str(rng.randint(1, 300)), kind, "-q", str(rng.randint(0, 100)), name]
    subprocess.run(arguments + ["-o", target], capture_output=True, check=True)
    for name in names:
        os.remove(name)
    with open(target, "rb") as file:
        return "img2webp " + " ".join(mixed), file.read()


def webp(rng, folder, kinds):
    maker = rng.choices([still, alpha_by_hand, own_animation, pillow_animation, img2webp_animation], [62, 6, 20, 6, 6])[0]
    return maker(rng, folder, kinds)


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
