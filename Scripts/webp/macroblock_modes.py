"""What a VP8 key frame says of its macroblocks: a plain reader of the first partition, for comparison with the decoder.

`macroblocks(frame)` gives a list of `Macroblock`, row by row. Written from RFC 6386, bool by bool; the tables of probabilities
are read from the decoder's sources.
"""
import collections
import os
import re

# Segment; mb_skip_coeff; one of MODES for all luma, or sixteen of SUBBLOCK_MODES; chroma; the loop filter's level.
Macroblock = collections.namedtuple("Macroblock", "segment skipped luma chroma level")

MODES = ["dc", "vertical", "horizontal", "trueMotion"]
SUBBLOCK_MODES = ["dc", "trueMotion", "vertical", "horizontal", "leftDown", "rightDown", "verticalRight", "verticalLeft",
                  "horizontalDown", "horizontalUp"]
TABLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Sources", "WebPLossy", "Tables")


def table(file, name):
    with open(os.path.join(TABLES, file + ".swift")) as source:
        body = re.search(r"static let " + name + r": \[UInt8\] = \[(.*?)\]", source.read(), re.S).group(1)
    return [int(number) for number in re.findall(r"\d+", re.sub(r"//.*", "", body))]


class Bools:
    """The boolean entropy decoder of section 7.3, a bit at a time."""

    def __init__(self, data):
        self.data, self.position = data, 2
        self.value, self.range, self.count = int.from_bytes(data[:2].ljust(2, b"\0"), "big"), 255, 0

    def bool(self, probability=128):
        split = 1 + ((self.range - 1) * probability >> 8)
        result = self.value >= split << 8
        if result:
            self.range -= split
            self.value -= split << 8
        else:
            self.range = split
        while self.range < 128:
            self.value <<= 1
            self.range <<= 1
            self.count += 1
            if self.count == 8:
                self.count = 0
                if self.position < len(self.data):
                    self.value |= self.data[self.position]
                self.position += 1
        return int(result)

    def literal(self, bits):
        value = 0
        for _ in range(bits):
            value = value << 1 | self.bool()
        return value

    def optional(self, bits):
        """A signed number behind a flag that says whether it is there."""
        if not self.bool():
            return 0
        magnitude = self.literal(bits)
        return -magnitude if self.bool() else magnitude

    def tree(self, nodes, probabilities):
        """A leaf of a tree as section 8.1 writes it: pairs of further nodes, or of leaves, which are negative or 0."""
        index = nodes[self.bool(probabilities[0])]
        while index > 0:
            index = nodes[index + self.bool(probabilities[index >> 1])]
        return -index


# Leaves are numbers of MODES and SUBBLOCK_MODES; that for subblocks of their own is 4.
SEGMENT_TREE = [2, 4, 0, -1, -2, -3]
LUMA_TREE = [-4, 2, 4, 6, 0, -1, -2, -3]
CHROMA_TREE = [0, 2, -1, 4, -2, -3]
SUBBLOCK_TREE = [0, 2, -1, 4, -2, 6, 8, 12, -3, 10, -5, -6, -4, 14, -7, 16, -8, -9]


def macroblocks(frame):
    tag = int.from_bytes(frame[:3], "little")
    columns, rows = (((int.from_bytes(frame[place : place + 2], "little") & 0x3FFF) + 15) // 16 for place in (6, 8))
    bools = Bools(frame[10 : 10 + (tag >> 5)])
    bools.literal(2)
    has_segments, has_map, is_absolute, filters, tree = bools.bool(), 0, 0, [0] * 4, [255] * 3
    if has_segments:
        has_map, has_data = bools.bool(), bools.bool()
        if has_data:
            is_absolute = bools.bool()
            [bools.optional(7) for _ in range(4)]
            filters = [bools.optional(6) for _ in range(4)]
        if has_map:
            tree = [bools.literal(8) if bools.bool() else 255 for _ in range(3)]
    bools.bool()
    level, _ = bools.literal(6), bools.literal(3)
    reference_deltas, mode_deltas = [0] * 4, [0] * 4
    if (has_deltas := bools.bool()) and bools.bool():
        reference_deltas = [bools.optional(6) for _ in range(4)]
        mode_deltas = [bools.optional(6) for _ in range(4)]
    bools.literal(2)
    bools.literal(7)
    [bools.optional(4) for _ in range(5)]
    bools.bool()
    for probability in table("CoefficientProbabilityTables", "updates"):
        if bools.bool(probability):
            bools.literal(8)
    skip = bools.literal(8) if bools.bool() else None
    contexts = table("SubblockModeProbabilities", "keyFrame")
    result, above = [], [0] * (4 * columns)
    for _ in range(rows):
        left = [0] * 4
        for column in range(columns):
            segment = bools.tree(SEGMENT_TREE, tree) if has_map else 0
            skipped = bools.bool(skip) if skip is not None else 0
            luma = bools.tree(LUMA_TREE, [145, 156, 163, 128])
            if luma == 4:
                modes = []
                for index in range(16):
                    place = 4 * column + index % 4
                    context = (10 * above[place] + left[index // 4]) * 9
                    mode = bools.tree(SUBBLOCK_TREE, contexts[context : context + 9])
                    above[place] = left[index // 4] = mode
                    modes.append(SUBBLOCK_MODES[mode])
            else:
                modes = MODES[luma]
                implied = SUBBLOCK_MODES.index(modes)
                above[4 * column : 4 * column + 4] = left = [implied] * 4
                left = list(left)
            chroma = MODES[bools.tree(CHROMA_TREE, [142, 114, 183])]
            # Section 9.3: absolute values take the place of the frame's, others are added; a frame's 0 switches it off.
            own = filters[segment] + (0 if is_absolute else level) if has_segments else level
            if has_deltas:
                own += reference_deltas[0] + (mode_deltas[0] if luma == 4 else 0)
            result.append(Macroblock(segment, skipped, modes, chroma, min(max(own, 0), 63) if level else 0))
    return result
