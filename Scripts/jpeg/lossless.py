"""Writes and reads lossless JPEG files (ITU-T T.81 annex H) for the scripts beside this folder.

The writer is by the book: any predictor, point transform, restart interval, sampling factors and division into scans, of which the
encoders at hand write few. The reader is libjpeg-turbo 3 (PyPI: imagecodecs), and what becomes of its samples in pixels of eight
and sixteen bits is worked out here.
"""
import collections, heapq, struct

import numpy


def segment(marker, body):
    return struct.pack(">BBH", 0xFF, marker, len(body) + 2) + bytes(body)


def code_lengths(counts):
    """Of each symbol the length of a prefix code, at most 16, none of which is all ones."""
    heap = [(count, index, [symbol]) for index, (symbol, count) in enumerate(sorted(counts.items()))]
    heap.append((0, len(heap), [None]))
    heapq.heapify(heap)
    lengths = collections.Counter()
    number = len(heap)
    while len(heap) > 1:
        first, second = heapq.heappop(heap), heapq.heappop(heap)
        lengths.update(first[2] + second[2])
        heapq.heappush(heap, (first[0] + second[0], number, first[2] + second[2]))
        number += 1
    if max(lengths.values()) > 16:
        return {symbol: 5 for symbol in counts}
    return {symbol: lengths[symbol] for symbol in counts}


def table(counts):
    """The body of a DHT segment after its slot, and the code of each symbol."""
    lengths = code_lengths(counts)
    order = sorted(lengths, key=lambda symbol: (lengths[symbol], symbol))
    codes, code, previous = {}, 0, 0
    for symbol in order:
        code <<= lengths[symbol] - previous
        previous = lengths[symbol]
        codes[symbol] = (code, previous)
        code += 1
    sizes = [sum(length == size for length in lengths.values()) for size in range(1, 17)]
    return bytes(sizes + order), codes


def differences(plane, predictor, first, rows_per_interval):
    """Each sample minus its prediction, modulo 2^16 as a signed number."""
    plane = plane.astype(numpy.int64)
    out = numpy.zeros_like(plane)
    for y, row in enumerate(plane):
        if y % rows_per_interval == 0 if rows_per_interval else y == 0:
            predicted = numpy.concatenate([[first], row[:-1]])
        else:
            above = plane[y - 1]
            a, b, c = row[:-1], above[1:], above[:-1]
            rest = {1: a, 2: b, 3: c, 4: a + b - c, 5: a + ((b - c) >> 1), 6: b + ((a - c) >> 1), 7: (a + b) >> 1}[predictor]
            predicted = numpy.concatenate([[above[0]], rest])
        out[y] = (row - predicted) & 0xFFFF
    return numpy.where(out > 0x8000, out - 0x10000, out)


def coded(stream, codes_of, mcus_per_interval):
    """The entropy-coded data of a list of MCUs, each a list of (table, difference)."""
    data, bits, count, number = bytearray(), 0, 0, 0

    def flush():
        nonlocal bits, count
        if count % 8:
            bits, count = bits << 8 - count % 8 | (1 << 8 - count % 8) - 1, count + 8 - count % 8
        whole = bits.to_bytes(count // 8, "big")
        data.extend(whole.replace(b"\xff", b"\xff\x00"))
        bits = count = 0

    for index, mcu in enumerate(stream):
        if mcus_per_interval and index and index % mcus_per_interval == 0:
            flush()
            data.extend([0xFF, 0xD0 + number % 8])
            number += 1
        for slot, value in mcu:
            size = abs(value).bit_length()
            code, length = codes_of[slot][size]
            bits, count = bits << length | code, count + length
            if 0 < size < 16:
                bits, count = bits << size | (value if value > 0 else value + (1 << size) - 1), count + size
        if count > 4096 and count % 8 == 0:
            flush()
    flush()
    return bytes(data)


def encode(planes, size, precision, predictor=1, point_transform=0, factors=None, scans=None, interval_rows=0, names=None, marks=b""):
    """A file of `planes`, arrays of samples at each component's own resolution.

    scans: lists of components, one after the other; all in one by default. interval_rows: rows of MCUs between restart markers.
    marks: segments after SOI.
    """
    width, height = size
    count = len(planes)
    factors = factors or [(1, 1)] * count
    if count == 1:
        factors = [(1, 1)]
    names = names or list(range(1, count + 1))
    across, down = max(h for h, _ in factors), max(v for _, v in factors)
    mcus, mcu_rows = -(-width // across), -(-height // down)
    frame = struct.pack(">BHHB", precision, height, width, count)
    frame += b"".join(bytes([name, h << 4 | v, 0]) for name, (h, v) in zip(names, factors))
    file = b"\xff\xd8" + marks + segment(0xC3, frame)
    first = 1 << precision - point_transform - 1
    for members in scans or [list(range(count))]:
        units, per_row, rows = {}, mcus, mcu_rows
        for member in members:
            plane = planes[member] >> point_transform
            h, v = factors[member]
            if len(members) > 1:
                # Whole MCUs: the last samples are repeated.
                plane = numpy.pad(plane, ((0, mcu_rows * v - plane.shape[0]), (0, mcus * h - plane.shape[1])), "edge")
            else:
                (rows, per_row), h, v = plane.shape, 1, 1
            units[member] = differences(plane, predictor, first, interval_rows * v), h, v
        stream = []
        for row in range(rows):
            for column in range(per_row):
                stream.append([
                    (member % 2, int(values[row * v + y, column * h + x]))
                    for member, (values, h, v) in units.items() for y in range(v) for x in range(h)])
        codes_of = {}
        for slot in {member % 2 for member in members}:
            counts = collections.Counter(abs(value).bit_length() for mcu in stream for place, value in mcu if place == slot)
            body, codes_of[slot] = table(counts)
            file += segment(0xC4, bytes([slot]) + body)
        if interval_rows:
            file += segment(0xDD, struct.pack(">H", interval_rows * per_row))
        header = bytes([len(members)]) + b"".join(bytes([names[member], member % 2 << 4]) for member in members)
        file += segment(0xDA, header + bytes([predictor, 0, point_transform]))
        file += coded(stream, codes_of, interval_rows * per_row)
    return file + b"\xff\xd9"


def samples(file):
    """What libjpeg-turbo 3 decodes: height x width x components, in the file's own precision."""
    import imagecodecs
    read = imagecodecs.jpeg_decode(file)
    return read if read.ndim == 3 else read[..., None]


def deep(values, precision):
    """Samples of sixteen bits: the bits are repeated."""
    values, filled = values.astype(numpy.int64), precision
    out = values.copy()
    while filled < 16:
        out, filled = out << precision | values, filled + precision
    return (out >> filled - 16).astype(numpy.uint16)


def eight(values, precision):
    """Samples of eight bits."""
    if precision > 8:
        return ((deep(values, precision).astype(numpy.int64) * 255 + 32895) >> 16).astype(numpy.uint8)
    out, filled = values.astype(numpy.int64), precision
    while filled < 8:
        out, filled = out << precision | values, filled + precision
    return (out >> filled - 8).astype(numpy.uint8)


def pixels(values, precision):
    """Opaque RGBA of eight bits; four components are inks, of which 0 is all."""
    values = eight(values, precision)
    out = numpy.full(values.shape[:2] + (4,), 255, numpy.uint8)
    if values.shape[2] == 4:
        inks = values.astype(numpy.int64)
        out[..., :3] = (inks[..., :3] * inks[..., 3:] + 127) // 255
    else:
        out[..., :3] = values
    return out
