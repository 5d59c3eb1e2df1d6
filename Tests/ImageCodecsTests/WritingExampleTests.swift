import ImageCodecs
import Testing

// snippet: rows
func writeChart(_ size: PixelSize, to body: EncodedBytesSink) throws(ImageError) {
    var options = EncodingOptions()
    options.effort = .fast
    var session = try CoderRegistry.shared.makeEncodingSession(
        to: .jpeg, size: size, pixelFormat: .gray, options: options)
    print("at most \(session.estimatedPeakByteCount) bytes are held")
    var row = [UInt8](repeating: 255, count: size.width)
    for y in 0..<size.height {
        row[y % size.width] = 0
        try session.write(row.span, to: body)
    }
    try session.finish(to: body)
}
// end of snippet

/// The code shown in the article on writing files runs and does what the text beside it says.
@Suite struct WritingExampleTests {
    @Test func aPictureIsWrittenRowByRow() throws {
        var file: [UInt8] = []
        var pieceCount = 0
        try writeChart(PixelSize(width: 640, height: 480)) { piece in
            pieceCount += 1
            for index in piece.indices { file.append(piece[index]) }
        }
        #expect(pieceCount > 0)
        let image = try RasterImage(file)
        #expect(image.format == .jpeg && image.size == PixelSize(width: 640, height: 480))
        // White at the top right, and below the diagonal black.
        #expect(image.bitmap[639, 0].red > 250 * 257 && image.bitmap[0, 479].red < 5 * 257)
    }

    @Test func whatTheSinkThrowsEndsTheFile() throws {
        let broken = ImageError.inputOutput(path: "connection", message: "closed")
        let error = #expect(throws: ImageError.self) {
            try writeChart(PixelSize(width: 64, height: 48)) { (_) throws(ImageError) in throw broken }
        }
        #expect(error == broken)
    }
}
