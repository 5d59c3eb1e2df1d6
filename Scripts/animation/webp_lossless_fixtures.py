"""Lossless WebP fixtures: small pictures through cwebp, and what libwebp's dwebp reads from them.

The pictures are computed. cwebp chooses transforms, color cache and prefix code groups; what it is asked for here makes it
choose differently. The last files are cut off or damaged.
"""
import os, shutil, subprocess, tempfile, zlib

import numpy as np
from PIL import Image


def waves(width, height, alpha=False):
    y, x = np.mgrid[0:height, 0:width]
    channels = [128 + 60 * np.sin(x / 7 + k) + 50 * np.cos(y / (5 + k)) for k in range(3)]
    channels.append(np.clip(x * 9 - y * 3, 0, 255) if alpha else np.full((height, width), 255))
    return np.stack(channels, -1).astype(np.uint8)


def grain(width, height, alpha=False):
    noise = np.random.RandomState(width * 31 + height).randint(-9, 10, (height, width, 4))
    noise[..., 3] = 0
    return np.clip(waves(width, height, alpha).astype(int) + noise, 0, 255).astype(np.uint8)


def drawing(width, height):
    """Rectangles and a rule of lines: runs, and rows that repeat."""
    random = np.random.RandomState(7)
    picture = np.full((height, width, 4), 255, np.uint8)
    for _ in range(14):
        x, y = random.randint(0, width), random.randint(0, height)
        picture[y:y + random.randint(1, 20), x:x + random.randint(1, 30)] = list(random.randint(0, 256, 3)) + [255]
    picture[::6, :, :3] //= 2
    return picture


def two_colors():
    """Three red pixels and a blue one above four blue ones: the documentation walks through this file."""
    picture = np.full((2, 4, 4), (0, 0, 255, 255), np.uint8)
    picture[0, :3] = (255, 0, 0, 255)
    return picture


def palette(width, height, count):
    y, x = np.mgrid[0:height, 0:width]
    colors = np.random.RandomState(count).randint(0, 256, (count, 4))
    colors[:, 3] = 255
    return colors[(x // 2 + y * 3 + x * y // 17) % count].astype(np.uint8)


def cwebp(picture, *options):
    """The WebP file that cwebp makes of straight RGBA."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "a.png"), os.path.join(folder, "a.webp")
        Image.fromarray(picture, "RGBA").save(source)
        subprocess.run(["cwebp", "-quiet", "-lossless", *options, source, "-o", target], check=True)
        with open(target, "rb") as file:
            return file.read()


def dwebp(data):
    """Width, height and straight RGBA of a WebP file."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "a.webp"), os.path.join(folder, "a.pam")
        with open(source, "wb") as file:
            file.write(data)
        subprocess.run(["dwebp", "-quiet", source, "-pam", "-o", target], check=True)
        with open(target, "rb") as file:
            head, pixels = file.read().split(b"ENDHDR\n", 1)
    sides = dict(line.split()[:2] for line in head.decode().splitlines() if " " in line)
    return int(sides["WIDTH"]), int(sides["HEIGHT"]), pixels


def sound_files():
    files = {f"effort-{z}.webp": cwebp(grain(61 + z, 47, alpha=z % 2 == 1), "-z", str(z)) for z in range(10)}
    files |= {f"colors-{n}.webp": cwebp(palette(53, 29, n), "-z", "6") for n in (1, 2, 3, 4, 5, 16, 17, 255, 256)}
    files |= {f"size-{w}x{h}.webp": cwebp(waves(w, h, True), "-exact") for w, h in ((1, 1), (1, 9), (9, 1), (2, 3), (33, 17))}
    files["two-colors-4x2.webp"] = cwebp(two_colors(), "-z", "6")
    files["drawing.webp"] = cwebp(drawing(160, 120), "-m", "6", "-q", "100")
    files["drawing-fast.webp"] = cwebp(drawing(160, 120), "-m", "0", "-q", "0")
    files["waves.webp"] = cwebp(waves(96, 64), "-m", "4")
    files["near-lossless.webp"] = cwebp(grain(70, 50), "-near_lossless", "20")
    files["groups.webp"] = cwebp(np.concatenate([grain(128, 64), drawing(128, 64), waves(128, 64)]), "-z", "9")
    files["wide.webp"] = cwebp(np.tile(waves(127, 2), (1, 129, 1))[:, :16383], "-m", "3")
    return files


def damaged_files():
    whole = cwebp(grain(64, 48), "-z", "6")
    version = bytearray(cwebp(waves(8, 8)))
    version[24] |= 0x20
    signature = bytearray(cwebp(waves(8, 8)))
    signature[20] = 0x2E
    return {"cut-in-pixels.webp": (whole[:len(whole) * 2 // 3], "truncated"),
            "cut-in-codes.webp": (whole[:60], "truncated"),
            "version-1.webp": (bytes(version), "corrupt"),
            "no-signature.webp": (bytes(signature), "corrupt")}


def fixtures():
    """The files by name, and what is expected of each."""
    if not shutil.which("cwebp") or not shutil.which("dwebp"):
        raise SystemExit("make-fixtures: cwebp and dwebp are not installed")
    files, results = sound_files(), {}
    for name, data in files.items():
        width, height, pixels = dwebp(data)
        results[name] = {"width": width, "height": height, "rgbaCRC32": f"{zlib.crc32(pixels):08x}"}
    for name, (data, error) in damaged_files().items():
        files[name], results[name] = data, {"error": error}
    return files, results
