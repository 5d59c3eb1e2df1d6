import CodecTestSupport
import ImageCodecsCore
import Testing

@Suite struct PartialPicturesTests {
    private static let size = PixelSize(width: 70, height: 50)

    /// A decoder's bitmap that grows, row by row, and what is asked of the pictures.
    private struct Decode {
        var bitmap: Bitmap
        var pictures = PartialPictures()
        var filledRowCount = 0
        let orientation: Orientation
        let meter: MemoryMeter

        init(_ orientation: Orientation = .up, meter: MemoryMeter = MemoryMeter()) throws {
            self.orientation = orientation
            self.meter = meter
            bitmap = try Bitmap(uninitialized: PartialPicturesTests.size, format: .gray, meter: meter)
        }

        mutating func write(_ rows: Range<Int>, value: UInt8) {
            for y in rows {
                bitmap.withMutableRowBytes(y) { row in
                    for x in 0..<row.byteCount {
                        row.storeBytes(of: value &+ UInt8(x), toByteOffset: x, as: UInt8.self)
                    }
                }
            }
            pictures.record(rows)
            filledRowCount = max(filledRowCount, rows.upperBound)
        }

        mutating func next() throws -> Bitmap {
            try pictures.next(
                bitmap, filledRowCount: filledRowCount, orientation: orientation, meter: meter, work: .unlimited)
        }

        /// What a picture has to look like: the rows written, turned, and nothing elsewhere.
        func expected() throws -> Bitmap {
            var stored = try Bitmap(size: bitmap.size, format: .gray)
            for y in 0..<filledRowCount {
                bitmap.withRowBytes(y) { source in stored.withMutableRowBytes(y) { $0.copy(source) } }
            }
            return try stored.oriented(orientation)
        }
    }

    private var byteCount: Int { Bitmap.byteCount(size: Self.size, format: .gray) ?? 0 }

    private func address(_ bitmap: Bitmap) -> UInt {
        // SAFETY: the address is compared, never read from.
        bitmap.withRowBytes(0) { row in unsafe row.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
    }

    @Test(arguments: Orientation.allCases)
    func aPictureShowsWhatIsThereTurned(_ orientation: Orientation) throws {
        var decode = try Decode(orientation)
        for (rows, value) in [(0..<3, 10), (3..<4, 90), (1..<2, 200), (4..<50, 30), (0..<50, 7)]
            as [(Range<Int>, UInt8)]
        {
            decode.write(rows, value: value)
            #expect(try decode.next() == decode.expected())
        }
    }

    @Test func aCallerThatKeepsTheNewestHoldsTwo() throws {
        var decode = try Decode()
        var newest: Bitmap?
        var places: Set<UInt> = []
        for y in 0..<50 {
            decode.write(y..<y + 1, value: UInt8(y))
            newest = try decode.next()
            places.insert(address(try #require(newest)))
            #expect(try newest == decode.expected())
        }
        #expect(places.count == 2)
        // The decoder's own, and the two that take turns.
        #expect(decode.meter.peak == 3 * byteCount)
    }

    @Test func aPictureHandedOutNeverChanges() throws {
        var decode = try Decode(.right)
        var kept: [(picture: Bitmap, bytes: [UInt8])] = []
        for y in 0..<50 {
            decode.write(y..<y + 1, value: UInt8(5 * y))
            decode.write(0..<1, value: UInt8(y))
            let picture = try decode.next()
            // Every third one is let go.
            if y % 3 != 0 { kept.append((picture, picture.packedBytes())) }
        }
        for (picture, bytes) in kept { #expect(picture.packedBytes() == bytes) }
    }

    @Test func keepingAllOfThemCostsACopyEach() throws {
        var decode = try Decode()
        var kept: [Bitmap] = []
        for y in 0..<10 {
            decode.write(y..<y + 1, value: 1)
            kept.append(try decode.next())
        }
        #expect(decode.meter.current == 11 * byteCount)
        kept = []
        decode.pictures.removeAll()
        #expect(decode.meter.current == byteCount)
    }

    @Test func aMeterRefusesMoreThanItAllows() throws {
        var decode = try Decode(meter: MemoryMeter(limit: 4 * byteCount))
        var kept: [Bitmap] = []
        for y in 0..<3 {
            decode.write(y..<y + 1, value: UInt8(y))
            kept.append(try decode.next())
        }
        decode.write(3..<4, value: 3)
        #expect(throws: ImageError.self) { try decode.next() }
        // Nothing is lost: with one of them gone the next is there.
        kept.removeFirst()
        #expect(try decode.next() == decode.expected())
    }

    @Test func withoutChangesThePictureIsTheSame() throws {
        var decode = try Decode()
        decode.write(0..<20, value: 3)
        let first = try decode.next()
        let second = try decode.next()
        #expect(address(first) == address(second))
        #expect(decode.meter.current == 2 * byteCount)
    }

    @Test func copiesGoOnIndependently() throws {
        var original = try Decode()
        original.write(0..<5, value: 1)
        _ = try original.next()
        var copy = original
        try copy.bitmap.makeUnique()
        try original.bitmap.makeUnique()
        original.write(5..<9, value: 50)
        copy.write(2..<6, value: 100)
        #expect(try original.next() == original.expected())
        #expect(try copy.next() == copy.expected())
    }

    @Test func anEmptyRangeJoinsToTheOther() {
        #expect((3..<3).union(5..<9) == 5..<9)
        #expect((5..<9).union(0..<0) == 5..<9)
        #expect((5..<9).union(1..<2) == 1..<9)
    }
}
