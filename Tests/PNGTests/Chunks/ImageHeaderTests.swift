import CodecTestSupport
import ImageCodecsCore
import PNGCodec
import Testing

@Suite struct ImageHeaderTests {
    private func header(
        _ width: UInt32 = 3, _ height: UInt32 = 2, depth: UInt8 = 8, type: UInt8 = 2, compression: UInt8 = 0,
        filter: UInt8 = 0, interlace: UInt8 = 0
    ) throws -> ImageHeader {
        let body =
            PNGBuilder.bigEndian(width) + PNGBuilder.bigEndian(height) + [depth, type, compression, filter, interlace]
        return try ImageHeader(body.span, offset: 16)
    }

    /// PNG 3rd ed. table 11.1 "Allowed combinations of color type and bit depth".
    private static let allowed: [UInt8: Set<UInt8>] = [
        0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16],
    ]

    @Test func onlyTheCombinationsOfTheStandardAreTaken() throws {
        for type in UInt8.min...UInt8.max {
            for depth in UInt8.min...UInt8.max {
                if Self.allowed[type]?.contains(depth) == true {
                    let header = try header(depth: depth, type: type)
                    #expect(header.bitDepth == Int(depth))
                    #expect(header.colorType.rawValue == type)
                    #expect(header.bitsPerPixel == Int(depth) * SamplePNG.channels(type))
                } else {
                    #expect(throws: ImageError.self) { try self.header(depth: depth, type: type) }
                }
            }
        }
    }

    @Test func aFrameHasItsOwnSizeAndNothingElseOfItsOwn() throws {
        let file = try header(300, 200, depth: 4, type: 3, interlace: 1)
        let frame = file.forFrame(of: PixelSize(width: 7, height: 5))
        #expect(try frame == header(7, 5, depth: 4, type: 3, interlace: 1))
        #expect(frame.bytesPerScanline(width: 7) == 4)
    }

    @Test(arguments: [(0, 1), (1, 0), (0x8000_0000, 1), (1, 0x8000_0000), (.max, .max)] as [(UInt32, UInt32)])
    func impossibleSizesAreCorrupt(_ width: UInt32, _ height: UInt32) {
        #expect(
            throws: ImageError.corrupt(.png, .pngHeaderSize, offset: 16, reason: "size of \(width)x\(height) pixels")
        ) {
            try header(width, height)
        }
    }

    @Test func theLargestSizeIsTaken() throws {
        let header = try header(0x7FFF_FFFF, 0x7FFF_FFFF, depth: 16, type: 6)
        #expect(header.size == PixelSize(width: 0x7FFF_FFFF, height: 0x7FFF_FFFF))
        #expect(header.bytesPerScanline(width: header.size.width) == 0x7FFF_FFFF * 8)
    }

    @Test(arguments: 1...UInt8.max)
    func unknownMethodsAreCorrupt(_ method: UInt8) throws {
        #expect(throws: ImageError.corrupt(.png, .pngHeaderMethod, offset: 26, reason: "compression method \(method)"))
        {
            try header(compression: method)
        }
        #expect(throws: ImageError.corrupt(.png, .pngHeaderMethod, offset: 27, reason: "filter method \(method)")) {
            try header(filter: method)
        }
        if method > 1 {
            #expect(
                throws: ImageError.corrupt(.png, .pngHeaderMethod, offset: 28, reason: "interlace method \(method)")
            ) {
                try header(interlace: method)
            }
        }
    }

    @Test func interlacingIsMethodOne() throws {
        #expect(try header(interlace: 1).isInterlaced)
        #expect(try !header(interlace: 0).isInterlaced)
    }

    @Test(arguments: [(1, 0, 9, 2, 1), (2, 3, 9, 3, 1), (8, 2, 9, 27, 3), (16, 6, 9, 72, 8), (4, 0, 1, 1, 1)])
    func scanlinesAreWholeBytes(_ depth: UInt8, _ type: UInt8, width: Int, byteCount: Int, distance: Int) throws {
        let header = try header(depth: depth, type: type)
        #expect(header.bytesPerScanline(width: width) == byteCount)
        #expect(header.filterDistance == distance)
    }

    @Test func otherLengthsAreCorrupt() {
        for count in [0, 12, 14] {
            #expect(throws: ImageError.self) {
                try ImageHeader([UInt8](repeating: 1, count: count).span, offset: 16)
            }
        }
    }
}
