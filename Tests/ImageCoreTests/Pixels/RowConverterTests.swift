import CodecTestSupport
import Testing

import ImageCodecsCore

@Suite struct RowConverterTests {
    /// Every layout a decoder has, keys that occur in the data and such that cannot.
    static let layouts: [SampleLayout] = {
        var random = SeededRandom(seed: 41)
        let entries = (0..<256).map { UInt32(truncatingIfNeeded: random.next()) | ($0 % 3 == 0 ? 0xFF00_0000 : 0) }
        var all: [SampleLayout] = PixelFormat.all.map { .pixels($0) }
        for bits in [1, 2, 4, 8, 16] {
            all.append(.gray(bits: bits, transparent: nil))
            all.append(.gray(bits: bits, transparent: UInt16(1 << bits - 1)))
            all.append(.gray(bits: bits, transparent: 0))
        }
        all.append(.gray(bits: 8, transparent: 0x0180))
        all += [.bgra, .bgrx]
        for bits in [1, 2, 4, 8] {
            all.append(.indexed(bits: bits, palette: Palette(entries)))
            all.append(.indexed(bits: bits, palette: Palette(Array(entries.prefix(3)))))
        }
        for bits in [8, 16] {
            all.append(.grayAlpha(bits: bits))
            all.append(.rgba(bits: bits))
            all.append(.rgb(bits: bits, transparent: nil))
            all.append(.rgb(bits: bits, transparent: .init(red: 255, green: 0, blue: 255)))
            all.append(.rgb(bits: bits, transparent: .init(red: 0x0180, green: 0, blue: 255)))
        }
        return all
    }()

    /// Bytes that often are 0 or 255, so that keys, full and no alpha occur.
    static func row(_ layout: SampleLayout, width: Int, _ random: inout SeededRandom) -> [UInt8] {
        var bytes = random.bytes(layout.bytesPerRow(width: width)).map { byte in
            switch random.next() % 4 {
            case 0: UInt8(0)
            case 1: UInt8(255)
            default: byte
            }
        }
        if layout == .pixels(.bgrx) {
            for x in 0..<width { bytes[4 * x + 3] = 255 }
        }
        return bytes
    }

    /// Converts with the rows at odd places of larger buffers, and checks that the bytes around stay as they were.
    static func convert(
        _ row: [UInt8], _ layout: SampleLayout, to format: PixelFormat, width: Int, offset: Int
    ) -> [UInt8] {
        let source = [UInt8](repeating: 0xA5, count: offset) + row
        let count = width * format.bytesPerPixel
        var destination = [UInt8](repeating: 0x5A, count: offset + count + 64)
        unsafe source.withUnsafeBytes { source in
            unsafe destination.withUnsafeMutableBytes { destination in
                var part = unsafe UnsafeMutableRawBufferPointer(rebasing: destination[offset...]).mutableBytes
                let rows = unsafe UnsafeRawBufferPointer(rebasing: source[offset...]).bytes
                RowConverter(from: layout, to: format).convert(rows, into: &part, width: width)
            }
        }
        #expect(destination.prefix(offset).allSatisfy { $0 == 0x5A }, "wrote before the row")
        #expect(destination.suffix(64).allSatisfy { $0 == 0x5A }, "wrote after the row")
        return Array(destination[offset..<offset + count])
    }

    @Test(arguments: layouts.indices)
    func everyFormatEqualsTheModel(layoutIndex: Int) {
        let layout = Self.layouts[layoutIndex]
        var random = SeededRandom(seed: 7)
        for format in PixelFormat.all {
            // Beyond 1024 pixels every conversion in two passes takes several stretches.
            for width in Array(0...18) + [67, 257, 1030] {
                let row = Self.row(layout, width: width, &random)
                let expected =
                    layout == .pixels(format)
                    ? row : (0..<width).flatMap { PixelModel(layout, row, x: $0).bytes(in: format) }
                let converted = Self.convert(row, layout, to: format, width: width, offset: width % 5)
                guard converted != expected else { continue }
                let byte = zip(converted, expected).enumerated().first { $1.0 != $1.1 }?.offset ?? -1
                Issue.record("\(layout.bitsPerPixel) bits to \(format), width \(width): byte \(byte) differs")
                break
            }
        }
    }

    @Test func cmykFromRGBLeadsBackToTheSameColours() {
        var random = SeededRandom(seed: 3)
        let rgb = random.bytes(300)
        let cmyk = Self.convert(rgb, .pixels(.rgb), to: .cmyk, width: 100, offset: 0)
        #expect(Self.convert(cmyk, .pixels(.cmyk), to: .rgb, width: 100, offset: 0) == rgb)
    }

    /// Formats that hold eight-bit straight colour without loss, and premultiplied opaque pixels.
    @Test func losslessRoundTripsKeepEveryByte() {
        var random = SeededRandom(seed: 4)
        let rgba = random.bytes(400)
        let deep = Self.convert(rgba, .pixels(.rgba), to: .rgba16, width: 100, offset: 0)
        #expect(Self.convert(deep, .pixels(.rgba16), to: .rgba, width: 100, offset: 0) == rgba)
        let gray = random.bytes(100)
        for format in PixelFormat.all {
            let other = Self.convert(gray, .pixels(.gray), to: format, width: 100, offset: 0)
            #expect(Self.convert(other, .pixels(format), to: .gray, width: 100, offset: 0) == gray, "\(format)")
        }
    }

    @Test func rowsShorterThanTheWidthStopTheProgram() async {
        await #expect(processExitsWith: .failure) {
            _ = RowConverterTests.convert([1, 2, 3, 4, 5], .pixels(.rgb), to: .bgrx, width: 2, offset: 0)
        }
        await #expect(processExitsWith: .failure) {
            _ = RowConverterTests.convert(
                [UInt8](repeating: 0, count: 11), .rgb(bits: 16, transparent: nil),
                to: .bgrx, width: 2, offset: 0)
        }
    }
}
