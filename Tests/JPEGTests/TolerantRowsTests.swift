import CodecTestSupport
import ImageCore
import JPEG
import JPEGBaseline
import Testing

/// Rows that a tolerant decode calls real are those of the sound file.
@Suite struct TolerantRowsTests {
    private static let samples = MatrixFile.sample(every: 11)

    private func scans(_ bytes: [UInt8]) throws -> [JPEGMarkerListing.Segment] {
        try JPEGMarkerListing(ImageData(bytes)).segments.filter { $0.name == "SOS" }
    }

    /// Decodes a damaged file, and compares the rows it calls real with those of the sound one.
    private func expectTrueRows(_ damaged: [UInt8], of sample: MatrixFile) throws {
        let whole = try JPEGCoder().decode(ImageData(sample.bytes), options: .default).bitmap
        let image = try JPEGCoder().decode(ImageData(damaged), options: .tolerant)
        let partial = try #require(image.partial)
        #expect(partial.cause != nil)
        for y in partial.rows.joined() {
            let isSame = image.bitmap.withRowBytes(y) { mine in whole.withRowBytes(y) { mine.hasSameBytes(as: $0) } }
            #expect(isSame, "row \(y) of \(sample)")
        }
    }

    @Test(arguments: samples.filter { $0.name.contains("progressive") })
    func aScanWithoutItsTableDeliversNothing(_ sample: MatrixFile) throws {
        let last = try #require(try scans(sample.bytes).last)
        var damaged = sample.bytes
        // Both tables of the scan's first component are those of the last slot, which no file of the matrix fills.
        damaged[last.offset + 6] = 0x33
        try expectTrueRows(damaged, of: sample)
    }

    @Test(arguments: samples.filter { $0.name.contains("progressive") })
    func aScanThatComesTwiceMakesNoRowReal(_ sample: MatrixFile) throws {
        let scans = try scans(sample.bytes)
        let first = try #require(scans.first)
        let end = first.offset + 4 + (first.byteCount ?? 0) + first.codedByteCount
        let again = sample.bytes[..<end] + sample.bytes[first.offset..<end] + sample.bytes[end...]
        let image = try JPEGCoder().decode(ImageData(Array(again)), options: .tolerant)
        #expect(image.partial?.rows == [])
        #expect(image.partial?.cause != nil)
    }

    @Test(arguments: samples.filter { $0.name.contains("restart") })
    func rowsBehindARestartMarkerWithAnotherNumberAreNotReal(_ sample: MatrixFile) throws {
        let scan = try #require(try scans(sample.bytes).first)
        let start = scan.offset + 4 + (scan.byteCount ?? 0)
        let data = start..<start + scan.codedByteCount - 1
        guard let marker = data.first(where: { sample.bytes[$0] == 0xFF && sample.bytes[$0 + 1] == 0xD0 }) else {
            return
        }
        var damaged = sample.bytes
        damaged[marker + 1] = 0xD4
        try expectTrueRows(damaged, of: sample)
    }
}
