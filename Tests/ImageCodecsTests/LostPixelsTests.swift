import ImageCodecs
import Testing

/// What pixels lose between picture and encoder is recorded, or refused, whatever the format.
@Suite struct LostPixelsTests {
    private func bitmap(_ format: PixelFormat, _ samples: [UInt16]) throws -> Bitmap {
        let bytes =
            format.depth == .sixteen
            ? samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
            : samples.map { UInt8(truncatingIfNeeded: $0) }
        var bitmap = try Bitmap(size: PixelSize(width: bytes.count / format.bytesPerPixel, height: 1), format: format)
        bitmap.withMutableRowBytes(0) { row in for (index, byte) in bytes.enumerated() { row.setByte(byte, at: index) }
        }
        return bitmap
    }

    private func losses(
        _ bitmap: Bitmap, _ format: ImageFormat, _ change: (inout EncodingOptions) -> Void = { _ in }
    ) throws -> LossLog {
        var options = EncodingOptions()
        let log = LossLog()
        options.losses = log
        change(&options)
        _ = try RasterImage(bitmap: bitmap).encoded(as: format, options: options)
        return log
    }

    @Test func alphaIsRecordedWhereItIsLaidOverAColorThatNobodyAskedFor() throws {
        let translucent = [
            try bitmap(.rgba, [1, 2, 3, 255, 1, 2, 3, 128]), try bitmap(.rgba, [0, 0, 0, 0]),
            try bitmap(.grayAlpha, [9, 255, 9, 254]), try bitmap(.bgraPremultiplied, [1, 1, 1, 255, 0, 0, 0, 0]),
            try bitmap(.rgba16, [1, 2, 3, 65535, 1, 2, 3, 65534]),
        ]
        let opaque = [
            try bitmap(.rgba, [1, 2, 3, 255, 9, 2, 3, 255]), try bitmap(.grayAlpha, [9, 255]),
            try bitmap(.rgba16, [1, 2, 3, 65535]), try bitmap(.rgb, [1, 2, 3]),
        ]
        for bitmap in translucent {
            #expect(try losses(bitmap, .jpeg).count(of: .alpha) == 1, "\(bitmap.format)")
            #expect(try losses(bitmap, .jpeg) { $0.maxFileByteCount = 5000 }.count(of: .alpha) == 1)
            #expect(try losses(bitmap, .jpeg) { $0.background = SIMD3(1, 2, 3) }.count(of: .alpha) == 0)
            #expect(try losses(bitmap, .webP).count(of: .alpha) == 0)
        }
        for bitmap in opaque { #expect(try losses(bitmap, .jpeg).count(of: .alpha) == 0, "\(bitmap.format)") }
    }

    @Test(arguments: [ImageFormat.gif, .webP, .jpeg])
    func samplesThatAreNoByteTwiceAreRecordedOrRefused(_ format: ImageFormat) throws {
        let deep = [try bitmap(.gray16, [0x1212, 0x1213]), try bitmap(.rgba16, [0x100, 0, 0, 65535])]
        let repeated = [try bitmap(.gray16, [0x1212, 0xFFFF]), try bitmap(.rgba16, [0x0101, 0, 0xABAB, 65535])]
        for bitmap in deep {
            #expect(try losses(bitmap, format).count(of: .sampleDepth) == 1)
            guard format != .jpeg else { continue }
            #expect(throws: ImageError.unsupported(format, feature: "samples of 16 bits without loss")) {
                try losses(bitmap, format) { $0.keepsPixels = true }
            }
        }
        for bitmap in repeated {
            #expect(try losses(bitmap, format).count(of: .sampleDepth) == 0)
            if format != .jpeg { _ = try losses(bitmap, format) { $0.keepsPixels = true } }
        }
    }

    @Test func samplesOfSixteenBitsStayInPNG() throws {
        let deep = try bitmap(.gray16, [0x1212, 0x1213])
        #expect(try losses(deep, .png) { $0.keepsPixels = true }.count(of: .sampleDepth) == 0)
    }
}
