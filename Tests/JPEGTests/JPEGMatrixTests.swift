import CodecTestSupport
import ImageCodecsCore
import JPEGCodec
import JPEGBaselineCodec
import Testing

/// Every sampling, process and restart interval at many sizes, against djpeg.
@Suite struct JPEGMatrixTests {
    private var options: DecodingOptions {
        var options = DecodingOptions()
        options.pixelFormat = .rgb
        return options
    }

    @Test func theMatrixIsComplete() {
        #expect(MatrixFile.all.count == 7 * 2 * 2 * 40)
    }

    @Test(arguments: MatrixFile.all) func pixelsAreThoseOfDjpeg(_ file: MatrixFile) throws {
        let image = try JPEGCoder().decode(ImageData(file.bytes), options: options)
        #expect(PixelDigest.crc32(image.bitmap.packedBytes()) == file.checksums[0])
        #expect(!image.isPartial)
    }

    @Test(arguments: [1, 7]) func piecesGiveTheSamePixels(_ pieceSize: Int) throws {
        for file in MatrixFile.all {
            let image = try JPEGCoder().decode(file.bytes, inPiecesOf: pieceSize, options: options)
            let bitmap = try #require(image).bitmap
            #expect(PixelDigest.crc32(bitmap.packedBytes()) == file.checksums[0], "\(file)")
        }
    }

    /// Where every sample is a mean of the picture alone; djpeg mixes in what lies beyond, see `PictureEdgesTests`.
    @Test(arguments: [(4, 1), (2, 2), (1, 3)])
    func scaledPixelsAreThoseOfDjpeg(_ eighths: Int, _ checksum: Int) throws {
        var count = 0
        for file in MatrixFile.all {
            let size = try JPEGCoder().inspect(ImageData(file.bytes), options: options).size
            let target = PixelSize(
                width: (size.width * eighths + 7) / 8, height: (size.height * eighths + 7) / 8)
            // A picture of a few pixels may be as small at a still smaller scale, which then is the one used.
            guard target != size, let frame = try JPEGBytes.reducedFrame(of: file.bytes, for: target),
                frame.scale.rawValue == eighths, frame.hasWholeSamples
            else { continue }
            count += 1
            var options = options
            options.size = .fitting(target, .stretch)
            options.thumbnailQuality = .fast
            let bitmap = try JPEGCoder().decode(ImageData(file.bytes), options: options).bitmap
            #expect(bitmap.size == target)
            #expect(PixelDigest.crc32(bitmap.packedBytes()) == file.checksums[checksum], "\(file)")
        }
        #expect(count > 0)
    }
}
