import CodecTestSupport
import ImageCodecsCore
import JPEGCodec
import JPEGBaselineCodec
import Testing

/// What is estimated of coefficients that have not come, against djpeg.
@Suite struct BlockSmoothingTests {
    private var options: DecodingOptions {
        var options = DecodingOptions()
        options.pixelFormat = .rgb
        options.strictness = .tolerant
        return options
    }

    @Test func theFilesAreThere() {
        #expect(UnfinishedFile.all.count == 13)
        #expect(UnfinishedFile.all.allSatisfy { $0.cuts.count > 20 })
    }

    @Test(arguments: UnfinishedFile.all) func pixelsOfBeginningsAreThoseOfDjpeg(_ file: UnfinishedFile) throws {
        for cut in file.cuts {
            let image = try JPEGCoder().decode(ImageData(Array(file.bytes[..<cut.byteCount])), options: options)
            #expect(PixelDigest.crc32(image.bitmap.packedBytes()) == cut.checksums[0], "\(cut.byteCount) bytes")
        }
    }

    @Test(arguments: UnfinishedFile.all) func piecesGiveTheSamePixels(_ file: UnfinishedFile) throws {
        for cut in file.cuts {
            let start = Array(file.bytes[..<cut.byteCount])
            let image = try JPEGCoder().decode(start, inPiecesOf: 7, options: options)
            let bitmap = try #require(image).bitmap
            #expect(PixelDigest.crc32(bitmap.packedBytes()) == cut.checksums[0], "\(cut.byteCount) bytes")
        }
    }

    @Test(arguments: UnfinishedFile.all) func scaledPixelsAreThoseOfDjpeg(_ file: UnfinishedFile) throws {
        let size = try JPEGCoder().inspect(ImageData(file.bytes), options: options).size
        for (index, eighths) in [8, 4, 2, 1].enumerated() where eighths < 8 {
            let target = PixelSize(width: (size.width * eighths + 7) / 8, height: (size.height * eighths + 7) / 8)
            guard let frame = try JPEGBytes.reducedFrame(of: file.bytes, for: target), frame.scale.rawValue == eighths,
                frame.hasWholeSamples
            else { continue }
            var options = options
            options.thumbnailQuality = .fast
            options.size = .fitting(target, .stretch)
            for cut in file.cuts where index < cut.checksums.count {
                let start = ImageData(Array(file.bytes[..<cut.byteCount]))
                let bitmap = try JPEGCoder().decode(start, options: options).bitmap
                #expect(
                    PixelDigest.crc32(bitmap.packedBytes()) == cut.checksums[index],
                    "\(cut.byteCount) bytes at \(eighths)/8")
            }
        }
    }

    @Test(arguments: UnfinishedFile.all) func picturesBehindAScanAreThoseOfDjpeg(_ file: UnfinishedFile) throws {
        var count = 0
        for cut in file.cuts where file.endsScan(cut) {
            var decoder = JPEGCoder().makeIncrementalDecoder(options: options)
            _ = try decoder.append(file.bytes.span.extracting(first: cut.byteCount))
            guard let image = try decoder.image() else { continue }
            count += 1
            #expect(PixelDigest.crc32(image.bitmap.packedBytes()) == cut.checksums[0], "\(cut.byteCount) bytes")
        }
        #expect(count > 3)
    }

    @Test(arguments: UnfinishedFile.all) func estimatedRowsAreNotReal(_ file: UnfinishedFile) throws {
        let whole = try JPEGCoder().decode(ImageData(file.bytes), options: options).bitmap
        for cut in file.cuts {
            let image = try JPEGCoder().decode(ImageData(Array(file.bytes[..<cut.byteCount])), options: options)
            for rows in image.partial?.rows ?? [] {
                for y in rows {
                    let isSame = image.bitmap.withRowBytes(y) { mine in
                        whole.withRowBytes(y) { mine.hasSameBytes(as: $0) }
                    }
                    #expect(isSame, "row \(y) of \(cut.byteCount) bytes")
                }
            }
        }
    }

    @Test(arguments: UnfinishedFile.all) func theLawsHold(_ file: UnfinishedFile) {
        let laws = DecoderLaws(JPEGCoder())
        #expect(laws.progressTellsWhatChanged(file.bytes) == [])
        #expect(laws.memoryStaysWithinTheEstimate(file.bytes) == [])
    }
}
