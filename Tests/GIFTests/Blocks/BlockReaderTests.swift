import CodecTestSupport
import GIFCodec
import ImageCodecsCore
import Testing

/// What a walk through the blocks of a file finds, and where.
@Suite struct BlockReaderTests {
    /// A screen of 3 x 2 pixels with a table of two colours, a comment, an image of one pixel at (1, 1), the trailer.
    private static let file: [UInt8] = [
        0x47, 0x49, 0x46, 0x38, 0x39, 0x61,  // GIF89a
        3, 0, 2, 0, 0x80, 1, 0,  // 3 x 2, global table of 2 colours, background 1, no aspect ratio
        0, 0, 0, 255, 255, 255,
        0x21, 0xFE, 2, 0x48, 0x69, 0,  // a comment: Hi
        0, 0,  // two terminators too many
        0x2C, 1, 0, 1, 0, 1, 0, 1, 0, 0x40, 2,  // 1 x 1 pixels at (1, 1), interlaced, code size 2
        2, 0x44, 0x01, 0,  // clear, 0, end
        0x3B,
    ]

    /// The steps as text, read in pieces of `size` bytes.
    private func steps(_ file: [UInt8], inPiecesOf size: Int) throws -> [String] {
        var reader = BlockReader()
        var work = WorkGuard(limits: .unlimited)
        var found: [String] = []
        var position = 0
        var end = 0
        while true {
            while let step = try reader.next(
                in: file.span.extracting(0..<end), from: &position, offset: 0, work: &work)
            {
                switch step {
                case .screen(let screen): found.append("screen \(screen.size) \(screen.version)")
                case .globalTable(let range): found.append("table \(range)")
                case .begins(let label, let offset): found.append("extension \(label) at \(offset)")
                case .image(let image):
                    found.append("image \(image.descriptor.rect) \(image.minimumCodeSize) at \(image.offset)")
                case .subBlocks(let range): found.append("data \(range)")
                case .ends(let offset): found.append("end at \(offset)")
                case .trailer(let offset): found.append("trailer at \(offset)")
                }
            }
            guard end < file.count else { return found }
            end = min(file.count, end + size)
        }
    }

    @Test(arguments: [1, 3, 1000])
    func stepsComeWithTheirPlaces(_ size: Int) throws {
        let rect = PixelRect(x: 1, y: 1, width: 1, height: 1)
        #expect(
            try steps(Self.file, inPiecesOf: size) == [
                "screen \(PixelSize(width: 3, height: 2)) 89a", "table 13..<19", "extension 254 at 19", "data 21..<24",
                "end at 24", "image \(rect) 2 at 27", "data 38..<41", "end at 41", "trailer at 42",
            ])
    }

    @Test func anotherSignatureIsNotGIF() {
        var file = Self.file
        file[4] = 0x38
        #expect(throws: ImageError.unknownFormat) { try steps(file, inPiecesOf: 1000) }
    }

    @Test func anUnknownBlockIsDamageAtItsPlace() throws {
        var file = Self.file
        file[19] = 0x7F
        let error = #expect(throws: ImageError.self) { try steps(file, inPiecesOf: 1000) }
        #expect(error?.offset == 19)
        #expect(error?.damageCode == .gifBlockUnknown)
    }

    @Test func aFileMayEndBetweenBlocksOnly() throws {
        var work = WorkGuard(limits: .unlimited)
        for end in [19, 25, 42] {
            var (reader, position) = (BlockReader(), 0)
            while try reader.next(
                in: Self.file.span.extracting(0..<end), from: &position, offset: 0, work: &work) != nil
            {}
            #expect(reader.isBetweenBlocks)
            #expect(position == end)
        }
        var (reader, position) = (BlockReader(), 0)
        while try reader.next(in: Self.file.span.extracting(0..<40), from: &position, offset: 0, work: &work) != nil {}
        #expect(!reader.isBetweenBlocks)
    }
}
