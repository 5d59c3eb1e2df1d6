"""One block of luma through the scans of a progressive JPEG file, 4:4:4 without restarts: an independent reading for *Progressive scans*.

Source: ITU-T T.81 (1992) annex G "Progressive DCT-based mode of operation".
"""
from worked import Bits


class Reader(Bits):
    """Bits of a scan, without stuffed zeros."""

    def __init__(self, data, tables):
        super().__init__(data.replace(b"\xff\x00", b"\xff"), highest_first=True)
        self.tables = tables

    def symbol(self, table):
        """The code of the next symbol, as text, and the symbol."""
        code = ""
        while code not in self.tables[table]:
            code += self.take(1)
        return code, self.tables[table][code]

    def value(self, size):
        """Bits of a value, and the value."""
        text = self.take(size)
        return text, int(text or "0", 2) - (0 if text[:1] == "1" or not size else (1 << size) - 1)


def huffman(body):
    """Tables of a DHT segment: by class and slot, symbols by their codes as text."""
    tables, place = {}, 0
    while place < len(body):
        counts, symbols, code, table = body[place + 1:place + 17], body[place + 17:], 0, {}
        first = 0
        for length, count in enumerate(counts, 1):
            for symbol in symbols[first:first + count]:
                table[f"{code:0{length}b}"] = symbol
                code += 1
            first += count
            code <<= 1
        tables[body[place] >> 4, body[place] & 15] = table
        place += 17 + first
    return tables


def first_band(reader, table, block, band, low, run, trace):
    """AC coefficients of a block in a first scan; the run of ended blocks that goes on after it."""
    if run:
        return run - 1
    position = band[0]
    while position <= band[1]:
        code, symbol = reader.symbol(table)
        zeros, size = symbol >> 4, symbol & 15
        if size == 0 and zeros < 15:
            rest = reader.take(zeros)
            trace([code, *([rest] if rest else [])])
            return (1 << zeros) + int(rest or "0", 2) - 1
        position += zeros
        if size:
            text, value = reader.value(size)
            block[position] = value * (1 << low)
            trace([code, text])
        position += 1
    return 0


def refine_band(reader, table, block, band, low, run, trace):
    """One more bit of AC coefficients of a block; the run of ended blocks that goes on after it."""
    def correct(position):
        bit = reader.take(1)
        if bit == "1":
            block[position] += (1 << low) if block[position] > 0 else -(1 << low)
        return bit

    position = band[0]
    if not run:
        while position <= band[1]:
            code, symbol = reader.symbol(table)
            zeros, parts, value = symbol >> 4, [code], 0
            if symbol & 15:
                parts.append(reader.take(1))
                value = (1 if parts[-1] == "1" else -1) << low
            elif zeros < 15:
                rest = reader.take(zeros)
                trace(parts + ([rest] if rest else []))
                run = (1 << zeros) + int(rest or "0", 2)
                break
            while position <= band[1]:
                if block[position]:
                    parts.append(correct(position))
                elif zeros == 0:
                    break
                else:
                    zeros -= 1
                position += 1
            if value and position <= band[1]:
                block[position] = value
            trace(parts)
            position += 1
    if not run:
        return 0
    rest = [correct(each) for each in range(position, band[1] + 1) if block[each]]
    if rest:
        trace(rest)
    return run - 1


def scans(data, watched):
    """For each scan of luma: its number, the offset of SOS, `Ss`, `Se`, `Ah`, `Al`, what is read of the watched block, and the block after it."""
    place, tables, count, blocks, result = 2, {}, 0, [], []
    while data[place + 1] != 0xD9:
        marker, length = data[place + 1], int.from_bytes(data[place + 2:place + 4])
        body, start = data[place + 4:place + 2 + length], place
        place += 2 + length
        if marker == 0xC2:
            height, width = int.from_bytes(body[1:3]), int.from_bytes(body[3:5])
            columns, rows = -(-width // 8), -(-height // 8)
            blocks = [[0] * 64 for _ in range(columns * rows)]
        elif marker == 0xC4:
            tables |= huffman(body)
        elif marker == 0xDA:
            end = place
            while not (data[end] == 0xFF and data[end + 1] != 0):
                end += 1
            count += 1
            members = [(body[1 + 2 * index], body[2 + 2 * index]) for index in range(body[0])]
            (first, last), (high, low) = body[-3:-1], (body[-1] >> 4, body[-1] & 15)
            if members[0][0] == 1:
                groups = []
                read(Reader(data[place:end], dict(tables)), members, blocks, (first, last), high, low, watched, groups.append)
                result.append((count, start, first, last, high, low, groups, list(blocks[watched])))
            place = end
    return result


def read(reader, members, blocks, band, high, low, watched, trace):
    """All blocks of a scan of luma, or of all components."""
    predictions, run, ignore = [0] * len(members), 0, lambda parts: None
    for number, block in enumerate(blocks):
        note = trace if number == watched else ignore
        if band[0] > 0:
            step = refine_band if high else first_band
            run = step(reader, (1, members[0][1] & 15), block, band, low, run, note)
            continue
        for index, (_, slots) in enumerate(members):
            if high:
                bit = reader.take(1)
                if index == 0:
                    block[0] += int(bit) << low
                    note([bit])
                continue
            code, size = reader.symbol((0, slots >> 4))
            text, value = reader.value(size)
            predictions[index] += value
            if index == 0:
                block[0] = predictions[0] * (1 << low)
                note([code, text])


def one_block(data, watched):
    """The rows of the article's table."""
    rows = []
    for number, offset, first, last, high, low, groups, block in scans(data, watched):
        bits = ", ".join(" ".join(f"`{part}`" for part in parts) for parts in groups) or "none"
        known = " | ".join(str(block[position]) for position in (0, 1, 2, 4, 9))
        assert all(value == 0 for position, value in enumerate(block) if position not in (0, 1, 2, 4, 9))
        rows.append(f"| {number} | {offset} | {first}...{last} | {high}, {low} | {bits} | {known} |")
    return rows
