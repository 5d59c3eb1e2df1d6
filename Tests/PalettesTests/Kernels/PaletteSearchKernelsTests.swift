import CodecTestSupport
import ImageCodecsCore
import ImagePalettes
import Testing

@Suite struct PaletteSearchKernelsTests {
    private func bytes(_ pixels: [UInt32]) -> [UInt8] {
        pixels.flatMap { pixel in (0..<4).map { UInt8(truncatingIfNeeded: pixel >> (8 * $0)) } }
    }

    @Test func searchEqualsTheReference() throws {
        var random = SeededRandom(seed: 21)
        for round in 0..<400 {
            // Colours that differ in one bit collide, zero is a colour, and runs of all lengths occur.
            let palette = Array(
                Set((0..<1 + round % 256).map { _ in UInt32(truncatingIfNeeded: random.next()) & 0xF0F0 }))
            let colors = palette.contains(0) ? palette : [0] + palette.prefix(255)
            var pixels: [UInt32] = []
            while pixels.count < round % 90 {
                let color = random.next() % 40 == 0 ? 0x1234_5678 : colors.randomElement(using: &random) ?? 0
                pixels += Array(repeating: color, count: Int(random.next() % 7))
            }
            var indices = try ScratchBuffer(byteCount: pixels.count + 1, filledWith: 0xEE, meter: nil)
            let rgba = bytes(pixels)
            var slots = [UInt64](repeating: 0, count: PaletteSearchKernels.slotCount)
            for (number, color) in colors.enumerated() {
                var slot = PaletteSearchKernels.firstSlot(of: color)
                while slots[slot] != 0 { slot = (slot + 1) % slots.count }
                slots[slot] = PaletteSearchKernels.slot(color: color, number: UInt8(number))
            }
            let found = rgba.withRawSpan(first: rgba.count) { row in
                indices.withMutableBytes { indices in
                    PaletteSearchKernels.search(row, 0..<pixels.count, in: slots.span, indices: &indices)
                }
            }
            var expected: [UInt8] = []
            for pixel in pixels {
                guard let index = colors.firstIndex(of: pixel) else { break }
                expected.append(UInt8(index))
            }
            let plain = rgba.withRawSpan { row in
                indices.withMutableBytes { indices in
                    PaletteSearchKernelsReference.search(row, 0..<pixels.count, in: slots.span, indices: &indices)
                }
            }
            #expect(plain == found)
            #expect(found == expected.count)
            let written = indices.withBytes { $0.copiedBytes() }
            #expect(Array(written.prefix(found)) == expected)
            #expect(written.last == 0xEE)
        }
    }

    @Test func setsNumberColorsAsTheyComeAndRefuseThe257th() throws {
        var random = SeededRandom(seed: 22)
        let pixels = (0..<257).map { UInt32($0) &* 0x9E37_79B1 }
        var indices = try ScratchBuffer(byteCount: 257, meter: nil)
        var colors = DistinctColors()
        let shuffled = Array(pixels.prefix(256)).shuffled(using: &random)
        let row = bytes(shuffled + shuffled + [pixels[256]])
        let fits = row.withRawSpan(first: 1024) { row in
            indices.withMutableBytes { colors.insert(rgba: row, width: 256, indices: &$0) }
        }
        #expect(fits && colors.colors == shuffled)
        let fitsOneMore = row.withRawSpan(first: row.count) { row in
            indices.withMutableBytes { indices in
                colors.insert(rgba: row.extracting(droppingFirst: 1024), width: 257, indices: &indices)
            }
        }
        #expect(!fitsOneMore)
    }
}
