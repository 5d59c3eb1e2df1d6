import ImageCodecsCore
import Testing

@Suite struct BitmapTests {
    private func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }

    @Test(arguments: [(540, 2176), (16, 64), (17, 128), (1, 64), (4000, 16000)])
    func rowsArePaddedTo64Bytes(_ width: Int, _ bytesPerRow: Int) throws {
        let bitmap = try Bitmap(size: size(width, 3), format: .bgraPremultiplied)
        #expect(bitmap.bytesPerRow == bytesPerRow)
        #expect(bitmap.byteCount == 3 * bytesPerRow)
        #expect(Bitmap.byteCount(size: size(width, 3), format: .bgraPremultiplied) == 3 * bytesPerRow)
        bitmap.withRowBytes(2) { #expect($0.byteCount == width * 4) }
    }

    @Test func rowsStartAtACacheLine() throws {
        for width in [1, 100, 2_000_000] {
            let bitmap = try Bitmap(size: size(width, 2), format: .rgb)
            for y in 0..<2 {
                let address = bitmap.withRowBytes(y) { row in
                    unsafe row.withUnsafeBytes { Int(bitPattern: $0.baseAddress) }
                }
                #expect(address % 64 == 0)
            }
        }
    }

    @Test(arguments: PixelFormat.all)
    func newBitmapsAreBlack(_ format: PixelFormat) throws {
        let bitmap = try Bitmap(size: size(5, 3), format: format)
        let pixel: [UInt8] = format == .bgrx ? [0, 0, 0, 255] : Array(repeating: 0, count: format.bytesPerPixel)
        #expect(bitmap.packedBytes() == (0..<15).flatMap { _ in pixel })
    }

    @Test func writingToACopyLeavesTheOriginalAlone() throws {
        var original = try Bitmap(size: size(4, 4), format: .gray)
        let copy = original
        try original.withMutableRow(1) { $0[2] = 7 }
        #expect(copy.packedBytes() == [UInt8](repeating: 0, count: 16))
        #expect(original.packedBytes()[6] == 7)
        #expect(original != copy)
    }

    @Test func writingToAnUnsharedBitmapCopiesNothing() throws {
        let meter = MemoryMeter()
        var bitmap = try Bitmap(uninitialized: size(100, 100), format: .rgba, meter: meter)
        let before = meter.current
        bitmap.withMutableRowBytes(5) { $0.storeBytes(of: 1, toByteOffset: 0, as: UInt8.self) }
        #expect(meter.peak == before)
        let shared = bitmap
        try bitmap.withMutableRow(5) { $0[0] = 2 }
        #expect(meter.current == 2 * before)
        #expect(shared.packedBytes() != bitmap.packedBytes())
    }

    @Test func copiesAreCountedAndMayBeRefused() throws {
        let meter = MemoryMeter(limit: 64 * 10)
        var bitmap = try Bitmap(uninitialized: size(16, 5), format: .rgba, meter: meter)
        try bitmap.withMutableBytes { bytes in
            for offset in 0..<bytes.byteCount {
                bytes.storeBytes(of: UInt8(offset & 255), toByteOffset: offset, as: UInt8.self)
            }
        }
        var copy = bitmap
        try copy.makeUnique()
        #expect(copy == bitmap)
        #expect(meter.current == 640)
        // Uniquely held, so there is nothing to copy.
        try copy.makeUnique()
        #expect(meter.current == 640)
        var third = bitmap
        let refused = ImageError.limitExceeded(.memory, requested: 960, allowed: 640)
        #expect(throws: refused) { try third.makeUnique() }
        #expect(throws: refused) { try third.withMutableRow(0) { $0[0] = 99 } }
        #expect(throws: refused) { try third.withMutableBytes { $0.storeBytes(of: 99, as: UInt8.self) } }
        #expect(third == bitmap)
        #expect(bitmap.withRow(0) { $0[0] } == 0)
    }

    @Test func paddingDoesNotCountForEquality() throws {
        var left = try Bitmap(size: size(3, 2), format: .rgb)
        var right = left
        try left.withMutableBytes { $0.storeBytes(of: 9, toByteOffset: 20, as: UInt8.self) }
        #expect(left == right)
        try right.withMutableBytes { $0.storeBytes(of: 9, toByteOffset: 8, as: UInt8.self) }
        #expect(left != right)
    }

    @Test func sizeAndFormatCountForEquality() throws {
        #expect(try Bitmap(size: size(2, 8), format: .gray) != Bitmap(size: size(8, 2), format: .gray))
        #expect(try Bitmap(size: size(2, 2), format: .rgba) != Bitmap(size: size(2, 2), format: .rgbaPremultiplied))
    }

    @Test(arguments: [(0, 0), (0, 7), (7, 0)])
    func bitmapsMayBeEmpty(_ width: Int, _ height: Int) throws {
        var bitmap = try Bitmap(size: size(width, height), format: .bgrx)
        #expect(bitmap.packedBytes().isEmpty)
        #expect(bitmap.byteCount == 0)
        try bitmap.withMutableBytes { #expect($0.byteCount == 0) }
        #expect(try bitmap.converted(to: .rgba).size == size(width, height))
        #expect(try bitmap.oriented(.left).size == size(height, width))
        #expect(throws: ImageError.self) { try bitmap.scaled(to: size(1, 1)) }
        for y in 0..<height { bitmap.withRowBytes(y) { #expect($0.byteCount == 0) } }
    }

    @Test func impossibleSizesThrow() {
        #expect(throws: ImageError.invalidArgument("a bitmap cannot be -1x5 pixels")) {
            try Bitmap(size: size(-1, 5), format: .gray)
        }
        for side in [Int.max, .max / 2, 1 << 40] {
            #expect(throws: ImageError.self) { try Bitmap(size: size(side, side), format: .rgba16) }
            #expect(throws: ImageError.self) { try Bitmap(size: size(side, 3), format: .rgba16) }
        }
        #expect(Bitmap.byteCount(size: size(.max, 1), format: .gray) == nil)
        #expect(Bitmap.byteCount(size: size(1, .max), format: .gray) == nil)
        #expect(Bitmap.byteCount(size: size(-1, 1), format: .gray) == nil)
    }

    @Test func rowsWithoutPixelsAreNotCounted() throws {
        // Each of these would loop for hours.
        let bitmap = try Bitmap(size: size(0, 1 << 40), format: .rgba)
        #expect(bitmap.packedBytes() == [])
        #expect(bitmap == (try Bitmap(size: size(0, 1 << 40), format: .rgba)))
        #expect(try bitmap.converted(to: .gray).size == size(0, 1 << 40))
        #expect(try bitmap.oriented(.right).size == size(1 << 40, 0))
        #expect(try Bitmap(size: size(1 << 40, 0), format: .rgba).packedBytes() == [])
    }

    @Test(arguments: [PixelSize(width: (1 << 31) + 1, height: 1), PixelSize(width: 1, height: .max)])
    func scalingToSidesBeyondTheScalersIsRefused(_ target: PixelSize) throws {
        let bitmap = try Bitmap(size: size(2, 2), format: .gray)
        let error = #expect(throws: ImageError.self) { try bitmap.scaled(to: target) }
        #expect(error?.code == "invalidArgument")
    }

    @Test func scalingWhoseFiltersWouldFillTheMemoryIsRefused() throws {
        let error = #expect(throws: ImageError.self) {
            try Bitmap(size: size(2, 2), format: .gray).scaled(to: size(1 << 31, 1))
        }
        #expect(error?.code == "limitExceeded")
    }

    @Test func aPlainColorStaysItWhenScaledDownToALimit() throws {
        // The solid picture of SDWebImage's own regression: black and opaque to the last row.
        var bitmap = try Bitmap(size: size(1029, 1029), format: .bgraPremultiplied)
        try bitmap.withMutableBytes { bytes in
            for offset in stride(from: 3, to: bytes.byteCount, by: 4) {
                bytes.storeBytes(of: 255, toByteOffset: offset, as: UInt8.self)
            }
        }
        let small = try bitmap.scaled(to: bitmap.size.fitted(inByteCount: 1 << 20))
        #expect(small.size == size(512, 512))
        #expect(small.packedBytes() == (0..<512 * 512).flatMap { _ in [0, 0, 0, 255] as [UInt8] })
    }
}
