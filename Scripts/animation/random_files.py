"""Random GIF and APNG files, sound ones, by the writers here and by other encoders, and ways to damage them.

`gif(rng, folder)` and `apng(rng, folder)` give a description and the bytes; `folder` is for the files of external programs.
`rng` is a `random.Random`, and everything follows from its seed.
"""
import io
import os
import struct
import subprocess

import numpy as np
from PIL import Image

import apng_reference
import apng_writer
import gif_writer
from apng_writer import CHANNELS, GRAY, PALETTE, Frame


def generator(rng):
    """NumPy's generator, seeded from `rng`."""
    return np.random.default_rng(rng.getrandbits(32))


def random_size(rng):
    return rng.choice([(rng.randint(1, 9), rng.randint(1, 9)), (rng.randint(1, 48), rng.randint(1, 48)),
                       (rng.randint(60, 140), rng.randint(1, 12)), (rng.randint(20, 90), rng.randint(20, 70))])


def field(rng, width, height, top):
    """Values 0...top: waves, noise, both, runs, or one value."""
    y, x = np.mgrid[0:height, 0:width]
    kind = rng.choice(["waves", "noise", "both", "runs", "flat"])
    if kind == "flat":
        return np.full((height, width), rng.randint(0, top), np.int64)
    if kind == "noise":
        return generator(rng).integers(0, top + 1, (height, width))
    if kind == "runs":
        return (x // rng.randint(1, 9) + y // rng.randint(1, 9)) * rng.randint(1, 7) % (top + 1)
    waves = np.sin(x / rng.uniform(2, 9) + rng.uniform(0, 6)) + np.cos(y / rng.uniform(2, 9) + x / 13)
    values = (waves + 2) / 4 * top
    if kind == "both":
        values += generator(rng).normal(0, top / 12, values.shape)
    return np.clip(values + 0.5, 0, top).astype(np.int64)


def rectangle(rng, width, height):
    """A rectangle within the canvas, often all of it: x, y, width, height."""
    if rng.random() < 0.25:
        return 0, 0, width, height
    columns, rows = rng.randint(1, width), rng.randint(1, height)
    return rng.randint(0, width - columns), rng.randint(0, height - rows), columns, rows


# GIF -----------------------------------------------------------------------------------------------------------

def color_table(rng, count):
    return generator(rng).integers(0, 256, (count, 3))


def interlude(rng):
    """An extension that does not matter."""
    return rng.choice([
        lambda: gif_writer.comment(bytes(rng.randrange(256) for _ in range(rng.randint(0, 300)))),
        lambda: gif_writer.xmp(b"<?xpacket begin=''?><x:xmpmeta/><?xpacket end='w'?>"),
        lambda: gif_writer.plain_text(0, 0, 8, 8, b"text"),
        lambda: gif_writer.application(b"EXAMPLE 1.0", bytes(rng.randint(0, 40))),
        lambda: gif_writer.extension(rng.choice([0x00, 0x42, 0xFA]), bytes(5)),
    ])()


def coding(rng):
    """Options of the code stream."""
    return {"starts_with_clear": rng.random() < 0.9, "ends_with_code": rng.random() < 0.9, "clears": rng.random() < 0.6,
            "clear_at": rng.choice([4096, 4096, 4095, rng.randint(300, 4096)]), "doubled_clears": rng.random() < 0.1,
            "longest_match": rng.choice([None, None, None, 1, rng.randint(2, 40)]),
            "block_length": rng.choice([255, 255, 254, rng.randint(1, 255)]), "interlaced": rng.random() < 0.3}


def gif_frame(rng, width, height, global_count):
    """The blocks of a frame."""
    blocks = [interlude(rng)] if rng.random() < 0.1 else []
    x, y, columns, rows = rectangle(rng, width, height)
    table, count = None, global_count
    if not global_count or rng.random() < 0.25:
        count = rng.choice([2, 4, 16, 256, rng.randint(2, 256)])
        table = color_table(rng, count)
    pixels = field(rng, columns, rows, count - 1)
    code_size = max(2, (count - 1).bit_length())
    if rng.random() < 0.15:
        code_size = rng.randint(code_size, 8)
    transparent = None
    if rng.random() < 0.6:
        # Now and then it is an index that the color table does not have.
        transparent = rng.randrange(count if rng.random() < 0.9 else 1 << code_size)
        pixels = np.where(field(rng, columns, rows, 2) == 0, transparent, pixels)
    if transparent is not None or rng.random() < 0.85:
        delay = rng.choice([0, 1, 2, 7, rng.randint(0, 300), 65535])
        disposal = rng.choice([0, 1, 1, 2, 2, 3, 3, rng.randint(4, 7)])
        blocks.append(gif_writer.graphic_control(delay, disposal, transparent, rng.random() < 0.05))
    blocks.append(gif_writer.image(pixels, x, y, table=table, minimum_code_size=code_size, **coding(rng)))
    return b"".join(blocks)


def own_gif(rng, folder=None):
    width, height = random_size(rng)
    count = rng.choice([0, 2, 4, 16, 256, rng.randint(2, 256)])
    blocks = []
    if rng.random() < 0.7:
        identifier = rng.choice([b"NETSCAPE2.0", b"NETSCAPE2.0", b"ANIMEXTS1.0"])
        blocks.append(gif_writer.loop(rng.choice([0, 0, 1, 3, rng.randint(0, 65535)]), identifier))
    # Color tables are filled up to a power of two; all of that may be used.
    global_count = 1 << (count - 1).bit_length() if count else 0
    blocks += [gif_frame(rng, width, height, global_count) for _ in range(rng.choice([1, 1, 2, 3, 4, 6]))]
    trailer = rng.choice([b"\x3b"] * 8 + [b"", b"\x3bmore"])
    table = color_table(rng, count) if count else None
    version = rng.choice([b"89a", b"89a", b"87a"])
    return "own", gif_writer.gif(width, height, blocks, table, version, rng.randrange(256), trailer)


def scenes(rng, mode, transparency=True):
    """Pictures that differ a little from one to the next, as Pillow's."""
    width, height = random_size(rng)
    ground = np.stack([field(rng, width, height, 255) for _ in range(3)], 2)
    result = []
    for _ in range(rng.choice([1, 2, 3, 5])):
        x, y, columns, rows = rectangle(rng, width, height)
        scene = ground.copy()
        scene[y : y + rows, x : x + columns] = np.stack([field(rng, columns, rows, 255) for _ in range(3)], 2)
        picture = Image.fromarray(scene.astype(np.uint8))
        if mode in ("RGBA", "LA") and transparency:
            alpha = Image.fromarray((field(rng, width, height, rng.choice([1, 255])) * 255).clip(0, 255).astype(np.uint8))
            picture.putalpha(alpha)
        result.append(picture.quantize(rng.randint(2, 256)) if mode == "P" else picture.convert(mode))
        if rng.random() < 0.3:
            ground = scene
    return result


def pillow_gif(rng, folder=None):
    pictures = scenes(rng, rng.choice(["P", "RGB", "RGBA", "L", "1"]))
    out = io.BytesIO()
    options = {"loop": rng.choice([0, 1, 5])} if rng.random() < 0.7 else {}
    pictures[0].save(out, "GIF", save_all=True, append_images=pictures[1:], duration=10 * rng.randint(0, 50),
                     disposal=rng.randint(0, 3), interlace=rng.randint(0, 1), optimize=rng.random() < 0.3, **options)
    return "Pillow", out.getvalue()


def gifsicle(rng, folder=None):
    """A file of one of the other kinds that gifsicle has worked over."""
    _, data = rng.choice([pillow_gif, pillow_gif, own_gif])(rng)
    options = [rng.choice(["-O1", "-O2", "-O3", "-U"])]
    choices = [f"--lossy={rng.randint(5, 200)}", f"--colors={rng.choice([2, 4, 16, 64, 200])}", "--interlace", "--no-interlace",
               "--dither", f"--delay={rng.randint(0, 40)}", f"--loopcount={rng.randint(0, 9)}", "--no-loopcount",
               f"--disposal={rng.choice(['none', 'asis', 'background', 'previous'])}", "--careful", "--flip-vertical"]
    options += rng.sample(choices, rng.randint(0, 3))
    run = subprocess.run(["gifsicle", "--no-warnings", *options], input=data, capture_output=True)
    if run.returncode or not run.stdout:
        return "Pillow", pillow_gif(rng)[1]
    return "gifsicle " + " ".join(options), run.stdout


def gif(rng, folder):
    maker = rng.choices([own_gif, pillow_gif, gifsicle], [60, 15, 25])[0]
    return maker(rng, folder)


# APNG ----------------------------------------------------------------------------------------------------------

def apng_samples(rng, color, depth, width, height, palette_size):
    top = palette_size - 1 if color == PALETTE else (1 << depth) - 1
    values = np.stack([field(rng, width, height, top) for _ in range(CHANNELS[color])], 2)
    if CHANNELS[color] in (2, 4) and rng.random() < 0.7:
        # Large parts are opaque or clear, as in most pictures.
        mask = field(rng, width, height, 3)
        values[:, :, -1] = np.where(mask == 0, 0, np.where(mask > 1, top, values[:, :, -1]))
    return values


def transparency(rng, color, depth, palette_size, samples):
    """The body of a tRNS chunk: alphas of a palette, or a color, mostly one that the picture has."""
    if color == PALETTE:
        return bytes(rng.choice([0, 255, rng.randrange(256)]) for _ in range(rng.randint(1, palette_size)))
    row = rng.choice(samples.tolist())
    key = rng.choice(row) if rng.random() < 0.8 else [rng.randrange(1 << depth) for _ in range(CHANNELS[color])]
    return struct.pack(f">{len(key)}H", *key)


def delay(rng):
    return rng.choice([(1, 10), (0, 0), (0, 1), (7, 0), (1, 3), (3, 2000), (rng.randrange(65536), rng.randrange(65536))])


def own_apng(rng, folder=None):
    width, height = random_size(rng)
    color = rng.choice(list(CHANNELS))
    depth = rng.choice({GRAY: [1, 2, 4, 8, 16], PALETTE: [1, 2, 4, 8]}.get(color, [8, 8, 16]))
    palette_size = rng.randint(1, min(256, 1 << depth))
    outside = rng.random() < 0.2
    make = lambda columns, rows: apng_samples(rng, color, depth, columns, rows, palette_size)
    default = make(width, height)
    frames = []
    for index in range(rng.choice([1, 2, 3, 4, 5])):
        x, y, columns, rows = rectangle(rng, width, height)
        if index == 0 and not outside:
            x, y, columns, rows = 0, 0, width, height
        samples = default if index == 0 and not outside else make(columns, rows)
        frames.append(Frame(samples, x, y, *delay(rng), rng.randint(0, 2), rng.randint(0, 1)))
    extras = [(b"tEXt", b"Comment\0between")] if rng.random() < 0.1 else []
    has_key = rng.random() < 0.4 and CHANNELS[color] in (1, 3)
    filter_generator = generator(rng)
    filters = rng.choice([lambda count: filter_generator.integers(0, 5, count), lambda count: np.zeros(count, int)])
    data = apng_writer.apng(
        width, height, depth, color, frames, plays=rng.choice([0, 0, 1, 3, rng.randrange(1 << 31)]),
        palette=color_table(rng, palette_size) if color == PALETTE else None,
        transparency=transparency(rng, color, depth, palette_size, default) if has_key else None,
        default=default if outside else None, interlaced=rng.random() < 0.25,
        piece_length=rng.choice([0, 0, rng.randint(1, 400)]), extras=extras, filters=filters, level=rng.choice([0, 1, 6, 9]))
    return f"own, color type {color}, depth {depth}", data


def pillow_apng(rng, folder=None):
    mode = rng.choice(["P", "RGB", "RGBA", "LA", "L", "1", "RGBA"])
    pictures = scenes(rng, mode)
    out = io.BytesIO()
    dispose, blend = rng.randint(0, 2), rng.randint(0, 1)
    options = {"duration": rng.randint(0, 300), "loop": rng.choice([0, 1, 4]), "disposal": dispose, "blend": blend,
               "default_image": len(pictures) > 1 and rng.random() < 0.2}
    try:
        pictures[0].save(out, "PNG", save_all=True, append_images=pictures[1:], **options)
    except ValueError:
        # Pillow 13 fails at some rectangles that are to be disposed of.
        return own_apng(rng)
    return f"Pillow, {mode}, dispose {dispose}, blend {blend}", out.getvalue()


def apngasm(rng, folder):
    pictures = scenes(rng, rng.choice(["P", "RGB", "RGBA", "L"]))
    for index, picture in enumerate(pictures):
        picture.save(os.path.join(folder, f"frame{index:03d}.png"), compress_level=1)
    options = [str(rng.randint(1, 5)), str(rng.choice([1, 10, 30, 100])), f"-l{rng.randint(0, 3)}", "-z0"]
    options += rng.sample(["-kp", "-kc"], rng.randint(0, 2)) + (["-f"] if len(pictures) > 2 and rng.random() < 0.2 else [])
    result = os.path.join(folder, "assembled.png")
    subprocess.run(["apngasm", result, os.path.join(folder, "frame000.png"), *options], capture_output=True)
    for index in range(len(pictures)):
        os.remove(os.path.join(folder, f"frame{index:03d}.png"))
    if not os.path.exists(result):
        return pillow_apng(rng)
    with open(result, "rb") as file:
        data = file.read()
    os.remove(result)
    return "apngasm " + " ".join(options), data


def apng(rng, folder):
    maker = rng.choices([own_apng, pillow_apng, apngasm], [70, 20, 10])[0]
    return maker(rng, folder)


# Damage --------------------------------------------------------------------------------------------------------

def spoiled(rng, data):
    """The bytes with one to three changed, or some removed or doubled."""
    data = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        place = rng.randrange(len(data))
        kind = rng.random()
        if kind < 0.7:
            data[place] = rng.choice([rng.randrange(256), data[place] ^ 1 << rng.randrange(8)])
        elif kind < 0.85 and len(data) > 1:
            del data[place : place + rng.randint(1, 5)]
        else:
            data[place:place] = data[place : place + rng.randint(1, 5)]
        if not data:
            data = bytearray(1)
    return bytes(data)


def spoiled_chunks(rng, data):
    """A PNG file whose chunks are spoiled, dropped, doubled or in another order, with sound checksums."""
    parts = apng_reference.parts(data)
    place = rng.randrange(len(parts))
    kind, body = parts[place]
    choice = rng.random()
    if choice < 0.5 and body:
        parts[place] = kind, spoiled(rng, body)
    elif choice < 0.65:
        del parts[place]
    elif choice < 0.8:
        parts.insert(place, parts[place])
    else:
        parts.insert(rng.randrange(len(parts)), parts.pop(place))
    return b"\x89PNG\r\n\x1a\n" + b"".join(apng_reference.chunk(*part) for part in parts)


def damaged(rng, data):
    if rng.random() < 0.3:
        return data[: rng.randrange(len(data))]
    if data[:4] == b"\x89PNG" and rng.random() < 0.7:
        return spoiled_chunks(rng, data)
    return spoiled(rng, data)
