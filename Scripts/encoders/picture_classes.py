"""Pictures of many kinds, made by generators: what an encoder meets beside photographs and screenshots.

`classes(seed)` yields (name, array): height x width (x 3 or 4) of 8 bits, or height x width (x 3) of 16 bits. One seed gives the same
pictures everywhere; another seed gives others of the same kinds, for what was not tuned on.
"""

import math

import numpy
from PIL import Image, ImageDraw, ImageFilter, ImageFont

GENERATORS = []


def picture(function):
    GENERATORS.append(function)
    return function


# Building blocks


def smooth(rng, height, width, detail=5, channels=1):
    """Noise of several octaves between 0 and 1: what skies, walls and fields look like from afar."""
    total = numpy.zeros((height, width, channels))
    for octave in range(detail):
        cells = 2 << octave
        noise = rng.random((cells + 1, cells + 1, channels))
        for channel in range(channels):
            layer = Image.fromarray((noise[..., channel] * 255).astype(numpy.float32))
            total[..., channel] += numpy.asarray(layer.resize((width, height), Image.BICUBIC)) / 255 / 1.7 ** octave
    total -= total.min()
    return total / total.max()


def photograph(rng, height, width):
    """Light, shapes with soft edges, texture and the noise of a sensor, in colours that go together."""
    light = smooth(rng, height, width, 4)
    hue = smooth(rng, height, width, 2, 3)
    base = light * 150 + hue * 70
    mask = Image.new("L", (width, height))
    draw = ImageDraw.Draw(mask)
    for _ in range(14):
        x, y, r = rng.integers(0, width), rng.integers(0, height), rng.integers(8, max(9, width // 5))
        draw.ellipse((x - r, y - r * 2 // 3, x + r, y + r * 2 // 3), fill=int(rng.integers(0, 255)))
    mask = numpy.asarray(mask.filter(ImageFilter.GaussianBlur(1.2)))[..., None] / 255
    texture = smooth(rng, height, width, 8) - 0.5
    tint = numpy.array([rng.integers(-40, 40) for _ in range(3)])
    out = base + mask * (tint + 30) + texture * 60 * (0.3 + mask) + rng.normal(0, 2.5, (height, width, 1))
    return numpy.clip(out + rng.normal(0, 1.0, (height, width, 3)), 0, 255).astype(numpy.uint8)


def palette(rng, count):
    return rng.integers(0, 256, (count, 3), dtype=numpy.uint8)


def icon(rng, size, alpha=True):
    image = Image.new("RGBA", (size * 4, size * 4), (0, 0, 0, 0) if alpha else (245, 246, 248, 255))
    draw = ImageDraw.Draw(image)
    for _ in range(rng.integers(2, 5)):
        colour = tuple(int(c) for c in rng.integers(0, 256, 3)) + (255,)
        x, y = rng.integers(0, size * 2, 2)
        w, h = rng.integers(size, size * 2, 2)
        if rng.random() < 0.5:
            draw.ellipse((x, y, x + w, y + h), fill=colour)
        else:
            draw.rounded_rectangle((x, y, x + w, y + h), radius=int(size // 4), fill=colour)
    return numpy.asarray(image.resize((size, size), Image.LANCZOS)).copy()


def words(rng):
    return " ".join("".join(rng.choice(list("etaoinshrdlucm"), rng.integers(2, 9))) for _ in range(14))


def page(rng, height, width, paper=255, ink=0):
    image = Image.new("L", (width, height), paper)
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(13)
    for line in range(10, height - 16, 18):
        draw.text((12, line), words(rng), fill=ink, font=font)
    return numpy.asarray(image)


def jet(values, levels=256):
    """False colours of values between 0 and 1."""
    table = numpy.linspace(0, 1, levels)
    rgb = numpy.stack([numpy.clip(1.5 - numpy.abs(4 * table - c), 0, 1) for c in (3, 2, 1)], -1)
    return (rgb * 255).astype(numpy.uint8)[numpy.clip((values * (levels - 1)).astype(int), 0, levels - 1)]


def screen(rng, height, width):
    image = Image.new("RGB", (width, height), (246, 247, 249))
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(14)
    draw.rectangle((0, 0, width, 30), fill=(45, 62, 90))
    draw.rectangle((0, 30, 130, height), fill=(232, 235, 240))
    for row in range(44, height - 20, 24):
        draw.text((10, row), words(rng)[:14], fill=(60, 60, 70), font=font)
        draw.text((150, row), words(rng), fill=(30, 30, 30), font=font)
        if rng.random() < 0.3:
            draw.rounded_rectangle((width - 90, row, width - 20, row + 18), 5, fill=(52, 120, 246))
    return numpy.asarray(image)


# Repetition


@picture
def tile_noise_64(rng):
    return numpy.tile(rng.integers(0, 256, (64, 64, 3), dtype=numpy.uint8), (12, 12, 1))


@picture
def tile_noise_32(rng):
    return numpy.tile(rng.integers(0, 256, (32, 32, 3), dtype=numpy.uint8), (16, 16, 1))


@picture
def tile_noise_37x53(rng):
    return numpy.tile(rng.integers(0, 256, (53, 37, 3), dtype=numpy.uint8), (10, 14, 1))[:500, :500]


@picture
def tile_photograph_100(rng):
    return numpy.tile(photograph(rng, 100, 100), (8, 8, 1))


@picture
def tile_photograph_64(rng):
    return numpy.tile(photograph(rng, 64, 64), (8, 8, 1))


@picture
def tile_icons_six(rng):
    icons = [icon(rng, 64, False)[..., :3] for _ in range(6)]
    return numpy.concatenate([numpy.concatenate([icons[rng.integers(6)] for _ in range(10)], 1) for _ in range(10)])


@picture
def tile_photographs_six(rng):
    icons = [photograph(rng, 48, 48) for _ in range(6)]
    return numpy.concatenate([numpy.concatenate([icons[rng.integers(6)] for _ in range(10)], 1) for _ in range(10)])


@picture
def rows_of_noise_repeat(rng):
    return numpy.tile(rng.integers(0, 256, (64, 512, 3), dtype=numpy.uint8), (8, 1, 1))


@picture
def columns_of_noise_repeat(rng):
    return numpy.tile(rng.integers(0, 256, (512, 64, 3), dtype=numpy.uint8), (1, 8, 1))


@picture
def photograph_twice(rng):
    one = photograph(rng, 240, 320)
    return numpy.concatenate([one, one])


@picture
def photograph_beside_itself(rng):
    one = photograph(rng, 320, 240)
    return numpy.concatenate([one, one], 1)


@picture
def rows_shifted(rng):
    row = photograph(rng, 1, 400)[0]
    return numpy.stack([numpy.roll(row, 3 * y, 0) for y in range(300)])


@picture
def rows_repeat_gray(rng):
    return numpy.tile(rng.integers(0, 256, (8, 384), dtype=numpy.uint8), (40, 1))


@picture
def enlarged_by_repetition(rng):
    return photograph(rng, 120, 160).repeat(4, 0).repeat(4, 1)


@picture
def enlarged_smoothly(rng):
    return numpy.asarray(Image.fromarray(photograph(rng, 120, 160)).resize((640, 480), Image.BICUBIC))


@picture
def brightness_noise_over_colour(rng):
    colour = smooth(rng, 400, 500, 3, 3) * 160 + 40
    return numpy.clip(colour + rng.normal(0, 12, (400, 500, 1)), 0, 255).astype(numpy.uint8)


# Drawings


@picture
def pixel_art(rng):
    colours = palette(rng, 14)
    return colours[rng.integers(0, 14, (64, 64))].repeat(8, 0).repeat(8, 1)


@picture
def pixel_art_small(rng):
    colours = palette(rng, 10)
    half = (smooth(rng, 64, 32, 5)[..., 0] * 9.99).astype(int)
    return colours[numpy.concatenate([half, half[:, ::-1]], 1)]


@picture
def pixel_art_sprites_on_grid(rng):
    colours = palette(rng, 24)
    out = numpy.full((288, 384, 3), 255, numpy.uint8)
    for y in range(0, 288, 48):
        for x in range(0, 384, 48):
            half = (smooth(rng, 16, 8, 3)[..., 0] * 23.99).astype(int)
            sprite = colours[numpy.concatenate([half, half[:, ::-1]], 1)].repeat(2, 0).repeat(2, 1)
            out[y + 8:y + 40, x + 8:x + 40] = sprite
    return out


@picture
def sprite_sheet_alpha(rng):
    out = numpy.zeros((384, 512, 4), numpy.uint8)
    for y in range(0, 384, 64):
        base = icon(rng, 56)
        for i, x in enumerate(range(0, 512, 64)):
            turned = numpy.asarray(Image.fromarray(base).rotate(i * 6, Image.BICUBIC))
            out[y + 4:y + 60, x + 4:x + 60] = turned
    return out


@picture
def icons_alpha(rng):
    out = numpy.zeros((320, 320, 4), numpy.uint8)
    for y in range(0, 320, 64):
        for x in range(0, 320, 64):
            out[y:y + 64, x:x + 64] = icon(rng, 64)
    return out


@picture
def emoji_72(rng):
    return icon(rng, 72)


@picture
def soft_shadows_alpha(rng):
    out = Image.new("RGBA", (360, 300))
    draw = ImageDraw.Draw(out)
    for _ in range(8):
        x, y = rng.integers(0, 260), rng.integers(0, 220)
        draw.rounded_rectangle((x, y, x + 90, y + 60), 12, fill=(0, 0, 0, 120))
    return numpy.asarray(out.filter(ImageFilter.GaussianBlur(9)))


@picture
def map_of_areas(rng):
    colours = palette(rng, 12)
    heights = smooth(rng, 480, 560, 6)[..., 0]
    out = colours[(heights * 11.99).astype(int)]
    edge = (numpy.diff((heights * 11.99).astype(int), axis=1, prepend=0) != 0)
    out[edge] = 60
    return out


@picture
def map_with_labels(rng):
    image = Image.fromarray(map_of_areas(rng))
    draw = ImageDraw.Draw(image)
    for _ in range(60):
        draw.text((int(rng.integers(0, 500)), int(rng.integers(0, 460))), words(rng)[:9], fill=(20, 20, 20))
    for _ in range(15):
        draw.line([tuple(int(v) for v in rng.integers(0, 500, 2)) for _ in range(4)], fill=(250, 210, 90), width=3)
    return numpy.asarray(image)


@picture
def qr_code(rng):
    modules = rng.integers(0, 2, (57, 57)) * 255
    return numpy.pad(modules, 4, constant_values=255).astype(numpy.uint8).repeat(6, 0).repeat(6, 1)


@picture
def bar_code(rng):
    return numpy.tile((rng.integers(0, 2, 190) * 255).astype(numpy.uint8).repeat(3), (160, 1))


@picture
def checks(rng):
    y, x = numpy.mgrid[:400, :400]
    a, b = palette(rng, 2)
    return numpy.where((((x // 10) + (y // 10)) % 2 == 0)[..., None], a, b)


@picture
def checks_of_many_colours(rng):
    return palette(rng, 1600).reshape(40, 40, 3).repeat(10, 0).repeat(10, 1)


@picture
def line_drawing(rng):
    image = Image.new("L", (640, 640), 255)
    draw = ImageDraw.Draw(image)
    for _ in range(40):
        draw.line([tuple(int(v) for v in rng.integers(0, 640, 2)) for _ in range(3)], fill=0, width=int(rng.integers(1, 5)))
    return numpy.asarray(image)


@picture
def line_drawing_soft(rng):
    image = Image.new("L", (1200, 1200), 255)
    draw = ImageDraw.Draw(image)
    for _ in range(50):
        x, y, r = rng.integers(0, 1200), rng.integers(0, 1200), rng.integers(20, 400)
        draw.ellipse((x - r, y - r, x + r, y + r), outline=int(rng.integers(0, 120)), width=int(rng.integers(2, 7)))
    return numpy.asarray(image.resize((600, 600), Image.LANCZOS))


@picture
def chart(rng):
    image = Image.new("RGB", (700, 420), "white")
    draw = ImageDraw.Draw(image)
    for i in range(24):
        h = int(rng.integers(20, 360))
        draw.rectangle((30 + i * 27, 400 - h, 50 + i * 27, 400), fill=tuple(int(c) for c in palette(rng, 8)[i % 8]))
    for y in range(0, 420, 40):
        draw.line((30, y, 690, y), fill=(210, 210, 210))
        draw.text((4, y), str(420 - y), fill=(90, 90, 90))
    return numpy.asarray(image)


@picture
def round_picture_on_black(rng):
    y, x = numpy.mgrid[:360, :360]
    out = photograph(rng, 360, 360)
    out[(x - 180) ** 2 + (y - 180) ** 2 > 170 ** 2] = 0
    return out


@picture
def photograph_cut_out(rng):
    y, x = numpy.mgrid[:300, :300]
    alpha = (numpy.clip(140 - numpy.hypot(x - 150, y - 150), 0, 1) * 255).astype(numpy.uint8)
    return numpy.dstack([photograph(rng, 300, 300), alpha])


# Gradients and dithering


@picture
def gradient_horizontal(rng):
    return numpy.tile(numpy.linspace(palette(rng, 1)[0], palette(rng, 1)[0], 600).astype(numpy.uint8), (300, 1, 1))


@picture
def gradient_vertical(rng):
    return gradient_horizontal(rng).transpose(1, 0, 2).copy()


@picture
def gradient_both_ways(rng):
    y, x = numpy.mgrid[:400, :500]
    return numpy.stack([x * 255 // 499, y * 255 // 399, (x + y) * 255 // 898], -1).astype(numpy.uint8)


@picture
def gradient_radial(rng):
    y, x = numpy.mgrid[:420, :420]
    d = numpy.hypot(x - rng.integers(150, 250), y - 210)[..., None] / 420
    a, b = palette(rng, 2).astype(float)
    return numpy.clip(a * (1 - d) + b * d, 0, 255).astype(numpy.uint8)


@picture
def gradient_16_steps(rng):
    y, x = numpy.mgrid[:384, :512]
    return palette(rng, 16)[(x + y) * 16 // 900]


@picture
def gradient_of_257_colours(rng):
    y, x = numpy.mgrid[:320, :514]
    v = (x // 2)
    return numpy.stack([numpy.minimum(v, 255), v // 2, 255 - v // 3], -1).astype(numpy.uint8)


@picture
def gradient_soft_colours(rng):
    return (smooth(rng, 400, 500, 2, 3) * 255).astype(numpy.uint8)


@picture
def gradient_with_noise(rng):
    y, x = numpy.mgrid[:300, :400]
    return numpy.clip((x * 0.5)[..., None] + numpy.array([20, 40, 60]) + rng.normal(0, 1, (300, 400, 3)), 0, 255).astype(numpy.uint8)


@picture
def dithered_black_white(rng):
    return numpy.asarray(Image.fromarray(photograph(rng, 360, 480)).convert("1")).astype(numpy.uint8) * 255


@picture
def dithered_ordered(rng):
    bayer = numpy.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]) / 16
    gray = smooth(rng, 400, 480, 4)[..., 0]
    return ((gray > numpy.tile(bayer, (100, 120))) * 255).astype(numpy.uint8)


@picture
def dithered_16_colours(rng):
    return numpy.asarray(Image.fromarray(photograph(rng, 300, 400)).quantize(16).convert("RGB"))


@picture
def dithered_256_colours(rng):
    return numpy.asarray(Image.fromarray(photograph(rng, 300, 400)).quantize(256, dither=1).convert("RGB"))


@picture
def posterized(rng):
    return photograph(rng, 300, 400) & 0xE0


# Measurements


@picture
def spectrogram(rng):
    base = smooth(rng, 256, 600, 6)[..., 0] * 0.6
    for _ in range(12):
        base[rng.integers(10, 240) + (numpy.sin(numpy.arange(600) / rng.integers(20, 90)) * 8).astype(int), numpy.arange(600)] += 0.4
    return jet(numpy.clip(base + rng.random((256, 600)) * 0.25, 0, 1))


@picture
def heat_map(rng):
    return jet(smooth(rng, 300, 400, 4)[..., 0])


@picture
def heat_map_of_cells(rng):
    return jet(rng.random((30, 40)), 64).repeat(12, 0).repeat(12, 1)


@picture
def elevation_gray(rng):
    return (smooth(rng, 400, 400, 7)[..., 0] * 255).astype(numpy.uint8)


@picture
def medical_16_bit(rng):
    y, x = numpy.mgrid[:320, :320]
    body = numpy.hypot((x - 160) / 1.1, y - 160) < 130
    return (body * (smooth(rng, 320, 320, 6)[..., 0] * 3000 + 400) + rng.normal(20, 8, (320, 320)).clip(0)).astype(numpy.uint16)


@picture
def medical_12_bit_shifted(rng):
    return (medical_16_bit(rng) // 2).astype(numpy.uint16) << 4


@picture
def elevation_16_bit(rng):
    return (smooth(rng, 320, 320, 6)[..., 0] * 65535).astype(numpy.uint16)


@picture
def photograph_16_bit(rng):
    return (smooth(rng, 240, 320, 8, 3) * 65535 + rng.normal(0, 40, (240, 320, 3))).clip(0, 65535).astype(numpy.uint16)


@picture
def scan_of_paper(rng):
    paper = numpy.asarray(Image.fromarray(page(rng, 700, 560)).filter(ImageFilter.GaussianBlur(0.8))).astype(float)
    return numpy.clip(paper * 0.85 + 22 + rng.normal(0, 3, paper.shape), 0, 255).astype(numpy.uint8)


@picture
def scan_of_paper_colour(rng):
    gray = scan_of_paper(rng).astype(float)[..., None]
    return numpy.clip(gray * numpy.array([1, 0.97, 0.9]) + rng.normal(0, 1.5, gray.shape[:2] + (3,)), 0, 255).astype(numpy.uint8)


@picture
def fax_page(rng):
    return ((page(rng, 900, 700) > 128) * 255).astype(numpy.uint8)


# Screens and text


@picture
def screen_light(rng):
    return screen(rng, 480, 640)


@picture
def screen_dark(rng):
    return 255 - screen(rng, 480, 640)


@picture
def screen_with_photograph(rng):
    out = screen(rng, 480, 640).copy()
    out[120:360, 260:580] = photograph(rng, 240, 320)
    return out


@picture
def text_gray(rng):
    return page(rng, 600, 480)


@picture
def text_on_gradient(rng):
    base = gradient_soft_colours(rng)[:400, :480]
    ink = page(rng, 400, 480)[..., None] / 255
    return (base * ink).astype(numpy.uint8)


@picture
def terminal(rng):
    image = Image.new("RGB", (640, 400), (12, 12, 16))
    draw = ImageDraw.Draw(image)
    for line in range(4, 390, 14):
        draw.text((6, line), words(rng), fill=tuple(int(c) for c in rng.choice([(80, 220, 100), (220, 220, 220), (230, 180, 60)])))
    return numpy.asarray(image)


# Noise and photographs


@picture
def flat(rng):
    return numpy.tile(palette(rng, 1)[0], (400, 400, 1))


@picture
def flat_gray_of_damage(rng):
    out = photograph(rng, 480, 640)
    out[160:] = 128
    return out


@picture
def flat_with_grain(rng):
    return numpy.clip(128 + rng.integers(-1, 2, (400, 500, 1)) + numpy.zeros(3), 0, 255).astype(numpy.uint8)


@picture
def noise_colour(rng):
    return rng.integers(0, 256, (256, 256, 3), dtype=numpy.uint8)


@picture
def noise_gray(rng):
    return rng.integers(0, 256, (300, 300), dtype=numpy.uint8)


@picture
def noise_black_white(rng):
    return (rng.integers(0, 2, (400, 400)) * 255).astype(numpy.uint8)


@picture
def noise_of_few_colours(rng):
    return palette(rng, 5)[rng.integers(0, 5, (300, 300))]


@picture
def noise_sparse(rng):
    out = numpy.full((400, 400, 3), 230, numpy.uint8)
    places = rng.integers(0, 400, (2, 1500))
    out[places[0], places[1]] = palette(rng, 1500)
    return out


@picture
def noise_low_bits(rng):
    return (120 + rng.integers(0, 8, (300, 300, 3))).astype(numpy.uint8)


@picture
def photograph_fine(rng):
    return photograph(rng, 360, 480)


@picture
def photograph_soft(rng):
    return numpy.asarray(Image.fromarray(photograph(rng, 360, 480)).filter(ImageFilter.GaussianBlur(2.5)))


@picture
def photograph_gray(rng):
    return numpy.asarray(Image.fromarray(photograph(rng, 360, 480)).convert("L"))


@picture
def photograph_of_jpeg(rng):
    import io

    file = io.BytesIO()
    Image.fromarray(photograph(rng, 360, 480)).save(file, "JPEG", quality=60)
    return numpy.asarray(Image.open(file).convert("RGB"))


@picture
def stars(rng):
    out = numpy.zeros((400, 500))
    for _ in range(700):
        out[rng.integers(1, 399), rng.integers(1, 499)] = rng.random() * 255
    out = numpy.asarray(Image.fromarray(out.astype(numpy.uint8)).filter(ImageFilter.GaussianBlur(0.7))) * 3.0
    return numpy.clip(out + rng.exponential(2, out.shape), 0, 255).astype(numpy.uint8)


def classes(seed=1, wanted=None):
    for number, function in enumerate(GENERATORS):
        if wanted is None or function.__name__ in wanted:
            made = function(numpy.random.default_rng([seed, number]))
            yield function.__name__, numpy.ascontiguousarray(made)
