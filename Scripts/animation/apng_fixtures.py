"""The files of Tests/Fixtures/apng and what decoders make of them. `make-fixtures apng` writes them."""
import struct
import zlib

import numpy as np

import apng_reference
from apng_writer import (BACKGROUND, CHANNELS, GRAY, GRAY_ALPHA, NONE, OVER, PALETTE, PREVIOUS, RGB, RGBA, SOURCE,
                         Frame, apng, assemble, chunks, rgba)

WIDTH, HEIGHT = 28, 20


def waves(width, height, phase):
    """Interfering waves, 0...1."""
    y, x = np.mgrid[0:height, 0:width]
    return (np.sin(x / 5 + phase) + np.sin(y / 4 - 2 * phase) + np.sin((x + y) / 7 + 2 * phase) + 3) / 6


def samples(color, depth, phase=0.0, width=WIDTH, height=HEIGHT, palette_size=16):
    """A picture of any color type.

    Colors under an alpha below full are either all or nothing: so they are the same after premultiplication, and a
    decoder that composites straight samples and one that composites premultiplied ones have to agree.
    """
    top = palette_size - 1 if color == PALETTE else (1 << depth) - 1
    values = np.stack([waves(width, height, phase + k) for k in range(CHANNELS[color])], 2) * top
    values = np.minimum(values + 0.5, top).astype(np.int64)
    if color in (GRAY_ALPHA, RGBA):
        alpha = values[:, :, -1:]
        alpha = np.where(alpha > top * 0.6, top, np.where(alpha < top * 0.3, 0, alpha))
        extreme = np.where(values[:, :, :-1] > top // 2, top, 0)
        values = np.concatenate([np.where(alpha == top, values[:, :, :-1], extreme), alpha], 2)
    return values


def glass(side, color, alpha):
    """A square of a color that is partly transparent, in a transparent border, with an opaque middle."""
    result = np.zeros((side, side, 4), np.int64)
    result[2:-2, 2:-2] = [*color, alpha]
    result[side // 2 - 1 : side // 2 + 2, side // 2 - 1 : side // 2 + 2] = [*color, 255]
    return result


PALETTE_COLORS = np.array([[v * 17, 255 - v * 17, v * 53 % 256] for v in range(16)], np.uint8)
PALETTE_COLORS[:4] = [[255, 0, 0], [0, 255, 255], [255, 255, 0], [0, 0, 0]]
PALETTE_ALPHAS = bytes([0, 90, 180, 254])


def movie(color=GRAY, depth=8, count=3, **options):
    return [Frame(samples(color, depth, k), **options) for k in range(count)]


def patches(dispose, blend):
    """A whole frame, then panes of colored glass, each with that disposal and blending."""
    base = np.where(waves(WIDTH, HEIGHT, 1) > 0.5, 255, 0)
    base = np.stack([base, 255 - base, base * 0, base * 0 + 255], 2)
    base[14:, 18:] = 0
    frames = [Frame(base, dispose=NONE)]
    for k, color in enumerate([(255, 0, 0), (0, 255, 255), (255, 255, 255), (0, 0, 255)]):
        frames.append(Frame(glass(9, color, 85 * (1 + k % 2)), 2 + 5 * k, 1 + 3 * k, 1, 20, dispose, blend))
    return frames


def sound_files():
    """The files by name, with the samples, depth and so on of their default images."""
    files = {}

    def add(name, depth, color, frames, **options):
        first = frames[0].samples if options.get("default") is None else options["default"]
        meaning = rgba(first, depth, color, options.get("palette"), options.get("transparency"))
        files[name] = apng(WIDTH, HEIGHT, depth, color, frames, **options), meaning

    add("default-in-animation.png", 8, GRAY, movie())
    add("default-outside.png", 8, GRAY, movie(count=2), default=samples(GRAY, 8, 9))
    add("default-outside-small-first.png", 8, RGBA, [Frame(glass(9, (0, 255, 0), 85), 4, 5, blend=OVER),
                                                     Frame(samples(RGBA, 8, 2))], default=samples(RGBA, 8, 9))
    for dispose, first in [(NONE, "none"), (BACKGROUND, "background"), (PREVIOUS, "previous")]:
        for blend, second in [(SOURCE, "source"), (OVER, "over")]:
            add(f"dispose-{first}-blend-{second}.png", 8, RGBA, patches(dispose, blend))
    mixed = patches(NONE, OVER)
    for k, frame in enumerate(mixed):
        frame.dispose, frame.blend = [NONE, PREVIOUS, BACKGROUND, PREVIOUS, NONE][k], [SOURCE, OVER, OVER, SOURCE, OVER][k]
    add("dispose-mixed.png", 8, RGBA, mixed)
    places = [(11, 7, 13, 9), (1, 1, 27, 19), (28, 1, 0, 4), (1, 20, 3, 0)]
    parts = [Frame(samples(RGB, 8, 5 + k, *place[:2]), *place[2:]) for k, place in enumerate(places)]
    add("offsets.png", 8, RGB, [*movie(RGB, 8, 1), *parts])
    for depth in (1, 2, 4, 8, 16):
        add(f"gray-{depth}.png", depth, GRAY, [*movie(GRAY, depth, 2), Frame(samples(GRAY, depth, 4, 9, 6), 5, 3)])
    for color, name in [(RGB, "rgb"), (GRAY_ALPHA, "gray-alpha"), (RGBA, "rgba")]:
        for depth in (8, 16):
            over = Frame(samples(color, depth, 4, 9, 6), 5, 3)
            add(f"{name}-{depth}.png", depth, color, [*movie(color, depth, 16 // depth), over])
    for depth in (1, 2, 4, 8):
        size = min(16, 1 << depth)
        frames = [Frame(samples(PALETTE, depth, k, palette_size=size)) for k in range(2)]
        frames.append(Frame(samples(PALETTE, depth, 4, 9, 6, size), 5, 3, blend=OVER, dispose=BACKGROUND))
        add(f"palette-{depth}.png", depth, PALETTE, frames, palette=PALETTE_COLORS[:size],
            transparency=PALETTE_ALPHAS[:size])
    add("color-key-gray-4.png", 4, GRAY, [*movie(GRAY, 4, 2), Frame(samples(GRAY, 4, 4, 20, 12), 5, 3, blend=OVER)],
        transparency=struct.pack(">H", 9))
    flat = [np.where(frame.samples > 40000, 60000, 1000) for frame in movie(RGB, 16, 3)]
    flat[0][2, 2] = [60000, 60000, 60001]       # next to the key, and the same when reduced to eight bits
    add("color-key-rgb-16.png", 16, RGB, [Frame(flat[0]), Frame(flat[1], blend=OVER), Frame(flat[2])],
        transparency=struct.pack(">HHH", 60000, 60000, 60000))
    add("adam7.png", 8, RGB, [*movie(RGB, 8, 1), parts[0], Frame(samples(RGB, 8, 6, 2, 1), 3, 3)], interlaced=True)
    add("adam7-gray-2.png", 2, GRAY, [*movie(GRAY, 2, 2), Frame(samples(GRAY, 2, 5, 11, 7), 13, 9)], interlaced=True)
    add("split-fdat.png", 8, GRAY, movie(), piece_length=60)
    add("one-byte-fdat.png", 1, GRAY, movie(GRAY, 1, 2), piece_length=1)
    for plays in (0, 1, 3):
        add(f"plays-{plays}.png", 8, GRAY, movie(GRAY, 8, 2), plays=plays)
    delays = movie(GRAY, 4, 6)
    for frame, delay in zip(delays, [(7, 0), (0, 0), (0, 100), (1, 1000), (1, 3), (65535, 1)]):
        frame.numerator, frame.denominator = delay
    add("delay-denominator-0.png", 4, GRAY, delays)
    halves = movie(GRAY, 4, 4)
    for frame, delay in zip(halves, [(1, 2000), (3, 2000), (5, 2000), (1, 16)]):
        frame.numerator, frame.denominator = delay
    add("delay-halves.png", 4, GRAY, halves)
    sixteen = [Frame(samples(GRAY, 2, k / 3), numerator=333 + k % 3 // 2, denominator=1000) for k in range(16)]
    add("sixteen-frames.png", 2, GRAY, sixteen)
    add("first-frame-dispose-previous.png", 8, RGBA,
        [Frame(samples(RGBA, 8, 1), dispose=PREVIOUS), *patches(NONE, OVER)[1:3]])
    text = (b"tEXt", b"Comment\0between the frames")
    add("ancillary-between.png", 8, GRAY, movie(), piece_length=100, default=samples(GRAY, 8, 9),
        extras=[text, (b"exAm", b"\1\2\3")])
    add("one-frame.png", 8, GRAY, movie(count=1), plays=2)
    return files


def damaged_files():
    whole = chunks(WIDTH, HEIGHT, 8, GRAY, movie())
    kinds = [kind for kind, _ in whole]
    second, third = [index for index, kind in enumerate(kinds) if kind == b"fcTL"][1:]

    def changed(index, body):
        return assemble(whole[:index] + [(kinds[index], body)] + whole[index + 1 :])

    control = whole[second][1]
    outside = chunks(WIDTH, HEIGHT, 8, GRAY, movie(), default=samples(GRAY, 8, 9))
    first = [kind for kind, _ in outside].index(b"fcTL")
    early = [outside[first + 1], *outside[first:]]
    early = [(kind, struct.pack(">I", k) + body[4:]) for k, (kind, body) in enumerate(early[:-1])] + early[-1:]
    return {
        "wrong-sequence.png": (changed(third, struct.pack(">I", 9) + whole[third][1][4:]), "corrupt"),
        "fdat-before-fctl.png": (assemble(outside[:first] + early), "corrupt"),
        "too-few-frames.png": (assemble(whole[:third] + whole[-1:]), "corrupt"),
        "fctl-outside.png": (changed(second, control[:12] + struct.pack(">I", 1) + control[16:]), "corrupt"),
        "cut-in-second-frame.png": (assemble(whole[: second + 2])[:-60], "truncated"),
    }


def expected(name, data, meaning):
    """What libpng and a compositor make of the file. The samples written are a second witness for the default image."""
    animation = apng_reference.decode(data)
    if not np.array_equal(animation.still, meaning):
        raise ValueError(f"{name}: libpng does not read what was written")
    other = apng_reference.decode(data, apng_reference.composed_straight)
    if other.checksums() != animation.checksums():
        raise ValueError(f"{name}: straight and premultiplied compositing disagree")
    return {"width": animation.width, "height": animation.height, "loop": animation.loop, "durationsMS": animation.durations,
            "frameCRC32": animation.checksums(), "rgbaCRC32": "%08x" % zlib.crc32(animation.still)}


def fixtures():
    """The files by name, and what is expected of each."""
    files, results = {}, {}
    for name, (data, meaning) in sound_files().items():
        files[name], results[name] = data, expected(name, data, meaning)
    for name, (data, error) in damaged_files().items():
        files[name], results[name] = data, {"error": error}
    return files, results
