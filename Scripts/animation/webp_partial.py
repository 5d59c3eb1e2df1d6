"""Lossy stills that are cut off or damaged: the rows that are real are compared with those of libwebp's incremental decoder.

Two cases differ. That decoder does not begin before the last token partition does; rows of files that are cut off in front of
that are compared with the whole picture. Where alpha is damaged, it gives none of the rows decoded together, and takes a last
pixel of bits that are not there; so the rows that both have are compared.
"""
import os
import re
import subprocess

import numpy as np

import random_files
import webp_writer

SUSPENDED = 5


def broken(rng, data):
    """A lossy still that is damaged, and how: "cut off", "picture" or "alpha" in a sound container. `None` for other files."""
    parts = webp_writer.parts(data)
    kinds = [kind for kind, _ in parts]
    if kinds.count(b"VP8 ") != 1 or b"ANIM" in kinds:
        return None
    if rng.random() < 0.5:
        return data[: rng.randrange(data.index(b"VP8 ") + 8, len(data))], "cut off"
    # libwebp reads on behind the chunk where the last partition is short: there must be nothing, not even a byte of padding.
    parts = parts[: kinds.index(b"VP8 ") + 1]
    damage = "alpha" if b"ALPH" in kinds and rng.random() < 0.2 else "picture"
    place, head = (kinds.index(b"ALPH"), 1) if damage == "alpha" else (len(parts) - 1, 10)
    kind, body = parts[place]
    start = rng.randrange(head, len(body)) if len(body) > head else head
    parts[place] = kind, body[:start] + random_files.spoiled(rng, body[start:] or b"\0")
    parts[-1] = b"VP8 ", parts[-1][1][: len(parts[-1][1]) & ~1]
    return webp_writer.riff(*[webp_writer.chunk(*part) for part in parts]), damage


def theirs(program, paths):
    """By path: status, width, height and the pixels of the rows that are real."""
    run = subprocess.run([program, *paths], capture_output=True, check=True)
    result = {}
    for path, line in zip(paths, run.stdout.decode().splitlines()):
        status, width, height, rows = map(int, line.split())
        result[path] = status, width, height, np.fromfile(path + ".rows", np.uint8).reshape(rows, width, 4)
    return result


def ours(tool, folder, paths):
    """By path: the pixels of the rows that are real, or what the tool says of a file of which none are."""
    target = os.path.join(folder, "ours")
    os.makedirs(target, exist_ok=True)
    command = [tool, "convert", "--tolerant", "--format", "raw", "--jobs", "1", "-o", target + "/{name}.raw", *paths]
    run = subprocess.run(command, capture_output=True)
    said = {}
    for line in run.stderr.decode("utf-8", "replace").splitlines():
        for path in paths:
            if line.startswith(path + ": "):
                said[path] = line[len(path) + 2:]
    result = {}
    for path in paths:
        name = os.path.join(target, os.path.basename(path) + ".raw")
        text = said.get(path, "")
        if not os.path.exists(name):
            result[path] = text
            continue
        rows = re.match(r"warning: partial picture, (\d+) row", text)
        pixels = np.fromfile(name, np.uint8).reshape(-1, 4)
        result[path] = int(rows.group(1)) if rows else 0 if text.startswith("warning: partial") else None, pixels
    return result


def difference(found, expected, damage, whole):
    """In words what differs; empty where nothing does.

    whole: what the file would have given without damage, straight RGBA.
    """
    status, width, height, rows = expected
    if isinstance(found, str):
        return f"{found}, reference: {len(rows)} rows" if len(rows) else ""
    count, pixels = found
    if damage == "cut off" and status == SUSPENDED and not len(rows):
        width = whole.shape[1]
        rows = whole[: count or 0]
    if count is None:
        count = len(pixels) // width
    if damage == "alpha":
        count = min(count, len(rows))
    elif count != len(rows):
        return f"{count} rows, reference: {len(rows)} (status {status})"
    if not np.array_equal(pixels[: count * width], rows[:count].reshape(-1, 4)):
        return f"other pixels in {count} rows"
    return ""
