import ImageCodecsCore
import Testing

@Suite struct BitmapRowsTests {
    private let size = PixelSize(width: 5, height: 3)

    @Test(arguments: PixelFormat.all)
    func aRowHoldsThePixelsAndNoPadding(_ format: PixelFormat) throws {
        let bitmap = try Bitmap(size: size, format: format)
        #expect(bitmap.withRow(2) { $0.count } == 5 * format.bytesPerPixel)
    }

    @Test func whatIsWrittenIsRead() throws {
        var bitmap = try Bitmap(size: size, format: .rgb)
        try bitmap.withMutableRow(1) { row in
            for index in row.indices { row[index] = UInt8(index) }
        }
        #expect(bitmap.withRow(1) { row in row.indices.map { row[$0] } } == Array(0..<15))
        #expect(bitmap.packedBytes() == Array(repeating: 0, count: 15) + Array(0..<15) + Array(repeating: 0, count: 15))
    }

    @Test func samplesOfSixteenBitsAreWhole() throws {
        var bitmap = try Bitmap(size: size, format: .rgba16)
        try bitmap.withMutableRow16(2) { row in
            for index in row.indices { row[index] = UInt16(index) * 0x0101 + 0x2000 }
        }
        let samples = bitmap.withRow16(2) { row in row.indices.map { row[$0] } }
        #expect(samples == (0..<20).map { UInt16($0) * 0x0101 + 0x2000 })
        let first = bitmap.withRow(2) { row in UInt16(row[2]) | UInt16(row[3]) << 8 }
        #expect(UInt16(littleEndian: first) == 0x2101)
    }

    @Test func writingARowOfACopyLeavesTheOriginalAlone() throws {
        let original = try Bitmap(size: size, format: .gray16)
        var copy = original
        try copy.withMutableRow(0) { $0[0] = 1 }
        try copy.withMutableRow16(1) { $0[4] = 0xffff }
        #expect(original.packedBytes() == Array(repeating: 0, count: 30))
        #expect(copy != original)
    }

    @Test(arguments: PixelFormat.all, PixelFormat.all)
    func rowsInAnotherFormatAreThoseOfTheConvertedBitmap(_ format: PixelFormat, _ target: PixelFormat) throws {
        var bitmap = try Bitmap(size: size, format: format)
        for y in 0..<3 {
            try bitmap.withMutableRow(y) { row in
                for index in row.indices {
                    row[index] = format == .bgrx && index % 4 == 3 ? 255 : UInt8(40 * y + index)
                }
            }
        }
        var rows: [UInt8] = []
        try bitmap.forEachRow(in: target) { row in
            for index in row.indices { rows.append(row[index]) }
        }
        #expect(try rows == bitmap.converted(to: target).packedBytes())
        try Bitmap.empty.forEachRow(in: target) { _ in Issue.record("a row of nothing") }
    }

    @Test func errorsAreThoseOfTheBody() throws {
        var bitmap = try Bitmap(size: size, format: .gray)
        #expect(throws: ImageError.cancelled) {
            try bitmap.withRow(0) { (row) throws(ImageError) in throw .cancelled }
        }
        #expect(throws: ImageError.cancelled) {
            try bitmap.withMutableRow(0) { (row) throws(ImageError) in throw .cancelled }
        }
        for format in [PixelFormat.gray, .rgb] {
            var count = 0
            #expect(throws: ImageError.cancelled) {
                try bitmap.forEachRow(in: format) { (row) throws(ImageError) in
                    count += 1
                    if count == 2 { throw .cancelled }
                }
            }
            #expect(count == 2)
        }
    }

    @Test func rowsThatAreNotThereEndTheProgram() async {
        await #expect(processExitsWith: .failure) {
            try Bitmap(size: PixelSize(width: 1, height: 1), format: .gray).withRow(1) { _ in }
        }
        await #expect(processExitsWith: .failure) {
            // Eight bits a sample.
            try Bitmap(size: PixelSize(width: 2, height: 1), format: .gray).withRow16(0) { _ in }
        }
    }
}
