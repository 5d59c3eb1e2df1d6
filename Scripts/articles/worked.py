"""The examples that articles work out by hand, computed again: each function gives phrases that its article has to contain, spaces joined."""
import heapq
import math
import zlib


class Bits:
    """Bits of bytes, lowest or highest of each byte first."""

    def __init__(self, data, highest_first=False):
        order = range(7, -1, -1) if highest_first else range(8)
        self.bits = [byte >> place & 1 for byte in data for place in order]
        self.place = 0

    def take(self, count):
        """The next bits as text, in the order of the stream."""
        self.place += count
        return "".join(map(str, self.bits[self.place - count:self.place]))


def number(text):
    """A number whose lowest bit comes first."""
    return int(text[::-1], 2)


def hexadecimal(data):
    return " ".join(f"{byte:02x}" for byte in data)


# DEFLATE

def inflate():
    """*Inflate*: the stream of nine bytes, bit by bit."""
    scanline, stream = bytes([0] + [7] * 8), bytes.fromhex("78da636087020001050039")
    assert zlib.decompress(stream) == scanline
    bits = Bits(stream[2:-4])
    phrases = [
        hexadecimal(scanline), f"{hexadecimal(stream[:2])} {hexadecimal(stream[2:-4])} {hexadecimal(stream[-4:])}",
        "byte " + hexadecimal(stream[2:-4]) + " bits " + " ".join(map(str, bits.bits)),
        f"2^({stream[0] >> 4}+8) bytes",
        f"`{stream[0]:02x}` says", f"`{stream[1]:02x}` how hard", f"makes `{stream[:2].hex()}` a multiple of {31 if int.from_bytes(stream[:2]) % 31 == 0 else None}",
    ]
    row = lambda text, words: phrases.append(f"| `{text}` | {words} |")
    row(bits.take(1), "the last block |")
    kind = bits.take(2)
    row(kind, f"with the fixed codes | a number, lowest bit first: {number(kind)}")
    for words in ("literals up to 143 have eight bits, from 00110000 on", ""):
        code = bits.take(8)
        row(code, f"the literal {int(code, 2) - 0b00110000} | {words}".strip())
    code = bits.take(7)
    symbol = 256 + int(code, 2)
    row(code, f"a length of {symbol - 254} | symbols from 256 on have seven bits: this is {symbol}")
    code = bits.take(5)
    row(code, f"a distance of {int(code, 2) + 1} |")
    code = bits.take(7)
    row(code, f"the end of the block | symbol {256 + int(code, 2)}")
    row(bits.take(len(bits.bits) - bits.place), "nothing | they fill the last byte")
    high, low = zlib.adler32(scanline) >> 16, zlib.adler32(scanline) & 0xFFFF
    return phrases + [f"`{stream[-4:].hex()}` is Adler-32: {low}, one more than the sum of all bytes, and above it {high},"]


def huffman_lengths(counts):
    """Code lengths by Huffman's algorithm; of equal weights those of larger trees are joined last."""
    heap = [(count, index, [symbol]) for index, (symbol, count) in enumerate(sorted(counts.items(), key=lambda each: each[1]))]
    heapq.heapify(heap)
    lengths, order = dict.fromkeys(counts, 0), len(heap)
    while len(heap) > 1:
        first, second = heapq.heappop(heap), heapq.heappop(heap)
        for symbol in first[2] + second[2]:
            lengths[symbol] += 1
        heapq.heappush(heap, (first[0] + second[0], order, first[2] + second[2]))
        order += 1
    return lengths


def codes(lengths):
    """Codes of symbols, as text, by their lengths."""
    result, code, before = {}, 0, 0
    for symbol in sorted((each for each in lengths if lengths[each]), key=lambda each: (lengths[each], each)):
        code <<= lengths[symbol] - before
        before = lengths[symbol]
        result[symbol] = f"{code:0{before}b}"
        code += 1
    return result


def deflate():
    """*Deflate, forwards*: the five scanlines, their codes, their header and their stream."""
    sub, up = bytes.fromhex("01000100000200010000000100"), bytes([2] + [0] * 12)
    lines = [sub, up, sub, up, bytes.fromhex("01000100000200010001000000")]
    data = b"".join(lines)
    phrases = [f"{13 * row} {line[:1].hex()} {hexadecimal(line[1:])}" for row, line in enumerate(lines)]
    total = len(data) * 5 // 4
    phrases += [
        f"Its scanlines are {len(data)} bytes,",
        f"among {len(data)} costs log2({total} / *n*) bits (a quarter more than {len(data)},",
        f"`00` occurs {data.count(0)} times and `01` {data.count(1)} times: {3 if math.log2(total / data.count(1)) < 3 else None} bits each",
        f"cost {3 * 3} bits as literals, and {7 + 5 + 1} as a copy with distance 5",
        f"a copy of 11 bytes from 1 byte back, {7 + 1 + 5} bits instead of {11 * 3}",
    ]
    assert data[2:5] == data[7:10] == b"\1\0\0" and data[15:26] == bytes(11) and data[26:61] == data[:35]
    # Literals, then a match: symbol, extra bits and their value, of length and of distance.
    sequences = [(data[:15], (265, 1, 0), (0, 0, 0)), (b"", (273, 3, 0), (9, 3, 1)), (data[61:], None, None)]
    phrases += ["the first 15 bytes | 11 bytes from 1 byte back", "none | 35 bytes from 26 bytes back", f"`{hexadecimal(data[61:])}` | none"]
    literals = data[:15] + data[61:]
    counts = {value: literals.count(value) for value in (0, 1, 2)} | {256: 1, 265: 1, 273: 1}
    phrases.append(
        f"Of these {len(literals)} literals, {counts[0]} are `00`, {counts[1]} are `01`, {counts[2]} are `02`. Length 11 is symbol 265 with one extra bit, length 35 "
        "symbol 273 with three; the block ends with symbol 256. Distance 1 is symbol 0, distance 26 symbol 9 with three extra bits.")
    lengths = huffman_lengths(counts)
    by_length = {length: [each for each in lengths if lengths[each] == length] for length in set(lengths.values())}
    assert by_length == {1: [0], 2: [1], 4: [2, 256, 265, 273]}
    weights = sorted(counts.values())
    phrases.append(" ".join(map(str, weights)) + " two of 256, 265 and 273 become one")
    phrases.append("1 2 (2) 5 12 the third of them and 02 (2)(3) 5 12 5 (5) 12 (10) 12 (22) ```")
    symbols = codes(lengths)
    phrases.append("`00` gets 1 bit, `01` 2 bits, and `02`, 256, 265 and 273 get 4 bits each. Each of the two distances gets 1 bit.")
    phrases.append(f"`00` is {symbols[0]}, `01` is {symbols[1]}, the others are {symbols[2]} to {symbols[273]}.")
    # The header: a symbol, its extra bits and their value.
    runs = [(1,), (2,), (4,), (18, 7, 127), (18, 7, 104), (4,), (17, 3, 5), (4,), (17, 3, 4), (4,), (1,), (17, 3, 5), (1,)]
    flat = [lengths.get(symbol, 0) for symbol in range(274)] + [1, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    spelled = [value for symbol, *extra in runs for value in ([symbol] if not extra else [0] * (extra[1] + (11 if symbol == 18 else 3)))]
    assert spelled == flat
    occurrences = {symbol: sum(run[0] == symbol for run in runs) for symbol in (1, 2, 4, 17, 18)}
    code_lengths = huffman_lengths(occurrences)
    zeros = [extra[1] + (11 if symbol == 18 else 3) for symbol, *extra in runs if extra]
    phrases.append(
        f"1, 2, 4, then {zeros[0]} and {zeros[1]} zeros, 4, {zeros[2]} zeros, 4, {zeros[3]} zeros, 4; 1, {zeros[4]} zeros, 1. Zeros have symbols: 17 for 3 to 10 of "
        "them, 18 for 11 to 138.")
    short = [str(each) for each in code_lengths if code_lengths[each] == 2]
    long = [str(each) for each in code_lengths if code_lengths[each] == 3]
    phrases.append(f"in which {', '.join(short[:-1])} and {short[-1]} get 2 bits, {' and '.join(long)} get 3.")
    order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
    written = max(order.index(symbol) for symbol in code_lengths) + 1
    run_bits, run_extra = sum(code_lengths[run[0]] for run in runs), sum(run[1] for run in runs if len(run) > 1)
    header = 3 + 14 + 3 * written + run_bits + run_extra
    phrases += [
        f"here {written} have to be written", f"{written} · 3 = {3 * written} |",
        f"| the lengths | {run_bits}, and {run_extra} extra bits", "| last block, and its kind | 3 |", "| how many lengths of each kind follow | 14 |",
    ]
    own = sum(counts[each] * lengths[each] for each in counts)
    fixed = 3 + 8 * len(literals) + 3 * 7 + 2 * 5 + 7
    stored, coded = 3 + 5 + 32 + 8 * len(data), header + own + 2 + 7
    phrases += [
        f"The header has {header} bits. Symbols add 12 · 1 + 5 · 2 + 5 · 4 = {own}, distances 2, extra bits 7. With the fixed codes, literals like these have 8 bits, and "
        f"there is no header: 3 + 19 · 8 + 3 · 7 + 2 · 5 + 7 = {fixed}.",
        f"| stored | {stored} | | fixed codes | {fixed} | | codes of its own | {coded} |", f"the stream has 2 + {-(-coded // 8)} + 4 bytes",
    ]
    # The stream is written out: numbers lowest bit first, codes highest bit first.
    out = []
    put = lambda value, count: out.extend(value >> place & 1 for place in range(count))
    code = lambda text: out.extend(map(int, text))
    put(1, 1), put(2, 2), put(274 - 257, 5), put(10 - 1, 5), put(written - 4, 4)
    for symbol in order[:written]:
        put(code_lengths.get(symbol, 0), 3)
    of_lengths = codes(code_lengths)
    for symbol, *extra in runs:
        code(of_lengths[symbol])
        if extra:
            put(extra[1], extra[0])
    distances = codes({0: 1, 9: 1})
    for text, length, distance in sequences:
        for byte in text:
            code(symbols[byte])
        if length:
            code(symbols[length[0]]), put(length[2], length[1]), code(distances[distance[0]]), put(distance[2], distance[1])
    code(symbols[256])
    assert len(out) == coded
    out += [0] * (-len(out) % 8)
    block = bytes(sum(bit << place for place, bit in enumerate(out[first:first + 8])) for first in range(0, len(out), 8))
    stream = bytes([0x18, 0x95]) + block + zlib.adler32(data).to_bytes(4)
    assert zlib.decompress(stream) == data
    phrases.append(f"{hexadecimal(stream[:2])} {hexadecimal(block)} {hexadecimal(stream[-4:])}")
    phrases.append(f"`{hexadecimal(stream[:2])}` says deflate, a window of 2^{(stream[0] >> 4) + 8} bytes")
    best = 3 + 8 * 8 + 5 * (7 + 5) + 11 + 7
    return phrases + [
        f"`best` needs {2 + -(-best // 8) + 4} bytes. It copies four bytes from 5 back, three from 8 back and five from 28 back",
        f"only 8 literals left, and the block has {best} bits",
    ]


# LZW

def lzw():
    """*LZW*: nine pixels in five codes, and their stream bit by bit."""
    pixels, size, coded = [1, 1, 1, 1, 1, 2, 1, 1, 2], 2, bytes.fromhex("8c2d58")
    bits, width, table, before, rows, output, codes_read = Bits(coded), size + 1, {}, None, [], [], []
    spaced = lambda values: " ".join(map(str, values))
    while True:
        text = bits.take(width)
        code = number(text)
        codes_read.append((code, width))
        if code == 1 << size:
            rows.append(f"| `{text}` | {code} | clear: the table has codes 0 to {code + 1} | | |")
            table, following, before = {}, code + 2, None
            continue
        if code == (1 << size) + 1:
            rows.append(f"| `{text}` | {code} | the end | | |")
            break
        string = [code] if code < 1 << size else table.get(code) or before + before[:1]
        is_new = code >= 1 << size and code not in table
        output += string
        adds = "nothing, there is no code before"
        if before:
            table[following] = before + string[:1]
            adds = f"{following}: `{spaced(table[following])}`"
            following += 1
        stands = f"`{spaced(string)}`" + (", the string that is being added" if is_new else "")
        rows.append(f"| `{text}` | {code} | {stands} | {adds} | {spaced(output)} |")
        before = string
        if following == 1 << width:
            width += 1
    assert output == pixels and bits.place == 24
    data = [each for each in codes_read if each[0] not in (4, 5)]
    narrow, wide = sum(width == 3 for _, width in codes_read), sum(width == 4 for _, width in codes_read)
    return rows + [
        f"`{spaced(pixels)}`", "code that is read " + spaced(code for code, _ in data), "stands for 1 1 1 1 1 2 1 1 2",
        "string that it adds - 6: 7: 8: 9: code before - 1 1 1 1 1 2 and its first - 1 1 2 1",
        f"{size:02X} 03 {coded.hex(' ').upper()} 00", "byte " + coded.hex(" ").upper() + " bits " + spaced(bits.bits),
        "code " + spaced(code for code, _ in codes_read), "width " + spaced(width for _, width in codes_read),
        f"Seven codes take {narrow} x 3 + {wide} x 4 = {3 * narrow + 4 * wide} bits, exactly three bytes",
        f"place {spaced(range(9))} output {spaced(pixels[:6])} . . . ^^^ 6: place 0, length 2 ^^^^^ 7: place 1, length 3 ^^^^^ 8: place 3, length 3",
    ]


# JPEG

def cosine_sum(coefficients, x, y):
    """A sample by the formula of ITU-T T.81 §A.3.3, before it is rounded."""
    scale = lambda k: 1 / math.sqrt(2) if k == 0 else 1
    return 128 + sum(
        scale(k % 8) * scale(k // 8) * value * math.cos((2 * x + 1) * (k % 8) * math.pi / 16) * math.cos((2 * y + 1) * (k // 8) * math.pi / 16)
        for k, value in enumerate(coefficients) if value) / 4


def first_block(block):
    """*The DCT by pictures*: the first block of a fixture, its coefficients times their steps, and two rows of samples."""
    products = [value * step for value, step in zip(block["coefficients"], block["steps"])]
    term = lambda k: f"{block['coefficients'][k]} * {block['steps'][k]} = {products[k]}"
    assert [k for k in range(64) if products[k]] == [0, 1, 8, 10, 24]
    rows = [[cosine_sum(products, x, y) for x in range(8)] for y in range(2)]
    assert [round(value) for row in rows for value in row] == block["samples"][:16]
    return [
        f"{term(0)} {term(1)} {term(8)} {term(10)} (row 1, column 2) {term(24)} (row 3, column 0)",
        f"An eighth of {products[0]} is {products[0] // 8 + 1}: the mean is {128 + round(products[0] / 8)}.",
        " ".join(f"{round(value)}" for row in rows for value in row), f"The 102 is {rows[1][5]:.3f} before",
    ]


def coefficient_memory():
    """*Progressive scans*: what the coefficients of a large picture take."""
    columns, rows = 4000 // 16, -(-3000 // 16)
    luma, chroma = 4 * columns * rows, 2 * columns * rows
    block = 64 * 2 + 8
    return [
        f"A block takes {block} bytes: 64 coefficients of 16 bits and its mask. A picture of 4000 x 3000 pixels, 4:2:0, has {columns} x {rows} MCUs, "
        f"{2 * columns} x {2 * rows} luma blocks and twice {columns} x {rows} of chroma, {luma + chroma:,} in all: {(luma + chroma) * block / 1e6:.1f} MB.",
        f"keeps only its DC coefficient, {2 + 8} bytes a block", f"Decoded at 1/8, the same picture takes {(luma * 10 + chroma * block) / 1e6:.1f} MB",
    ]


# WebP

def transforms():
    """*Transforms*: the examples of a prediction and of the color transform."""
    left, above, corner = 200, 180, 100
    gradient = left + above - corner
    signed = lambda value: value - 256 if value > 127 else value
    return [
        f"L = {left}, T = {above}, TL = {corner}: {gradient}, limited to {min(gradient, 255)}. With a difference of 3 the pixel has {(min(gradient, 255) + 3) % 256}.",
        f"green = 100, green to red = 16: red gets {16 * 100 >> 5} more. With green = 200, which is {signed(200)}, it gets {-(16 * signed(200) >> 5)} less.",
    ]


# Colours

def inverse(m):
    (a, b, c), (d, e, f), (g, h, i) = m
    det = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    return [[(e * i - f * h) / det, (c * h - b * i) / det, (b * f - c * e) / det], [(f * g - d * i) / det, (a * i - c * g) / det, (c * d - a * f) / det],
            [(d * h - e * g) / det, (b * g - a * h) / det, (a * e - b * d) / det]]


def times(m, v):
    return [sum(a * b for a, b in zip(row, v)) for row in m]


def product(m, n):
    return [[sum(m[row][k] * n[k][column] for k in range(3)) for column in range(3)] for row in range(3)]


def to_d50(primaries):
    """The matrix of a profile: primaries with the white D65, seen under D50 (Bradford)."""
    columns = [[x / y, 1, (1 - x - y) / y] for x, y in primaries]
    matrix = [[column[row] for column in columns] for row in range(3)]
    white, d50 = [0.3127 / 0.3290, 1, (1 - 0.3127 - 0.3290) / 0.3290], [0.9642, 1, 0.8249]
    amounts = times(inverse(matrix), white)
    matrix = [[matrix[row][column] * amounts[column] for column in range(3)] for row in range(3)]
    bradford = [[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]]
    gains = [to / of for to, of in zip(times(bradford, d50), times(bradford, white))]
    cones = [[gains[row] * bradford[row][column] for column in range(3)] for row in range(3)]
    return product(product(inverse(bradford), cones), matrix)


def colours():
    """*From device numbers to colours*: every number on the way of one orange."""
    p3, srgb = to_d50([(0.680, 0.320), (0.265, 0.690), (0.150, 0.060)]), to_d50([(0.64, 0.33), (0.30, 0.60), (0.15, 0.06)])
    data = [255, 128, 64]
    numbers = [byte / 255 for byte in data]
    light = [((value + 0.055) / 1.055) ** 2.4 for value in numbers]
    tristimulus = times(p3, light)
    shown = times(inverse(srgb), tristimulus)
    display = [255 * (1.055 * min(value, 1) ** (1 / 2.4) - 0.055) for value in shown]
    text = lambda values: ", ".join(f"{value:.5f}".rstrip("0").rstrip(".") for value in values)
    fixed = lambda values: ", ".join(f"{value:.5f}" for value in values)
    # What each byte adds to the light of each channel of the display, in 2^18ths, in steps of one of 14 bits after the point.
    both = product(inverse(srgb), p3)
    parts = [[round(both[row][column] * light[column] * (1 << 18)) for row in range(3)] for column in range(3)]
    sums = [round(value * (1 << 14)) for value in shown]
    return [
        "has the bytes " + ", ".join(map(str, data)), f"**{text(numbers)}**", f"**{text(light)}**",
        "| X | " + " | ".join(f"{value:.5f}" for value in p3[0]), "| Y | " + " | ".join(f"{value:.5f}" for value in p3[1]),
        "| Z | " + " | ".join(f"{value:.5f}" for value in p3[2]), f"the XYZ **{fixed(tristimulus)}**", f"gives **{fixed(shown)}**",
        f"gives {text([value / 255 for value in display])}, and times 255: **{display[0]:.0f}, {display[1]:.2f}, {display[2]:.2f}**, in bytes "
        + ", ".join(f"{value:.0f}" for value in display),
        *(f"| {name} {byte} | " + " | ".join(map(str, row)) for name, byte, row in zip(("red", "green", "blue"), data, parts)),
        f"({', '.join(map(str, sums))})",
    ]
