import CodecTestSupport
import ImageCodecsCore
import JPEGBaselineCodec
import JPEGCodec
import Testing

/// Reduced pictures show nothing of what their last blocks hold beyond the picture.
@Suite struct PictureEdgesTests {
    struct Kind: Sendable, CustomStringConvertible {
        let format: PixelFormat
        let subsampling: JPEGSubsampling?
        let isProgressive: Bool
        var description: String {
            "\(format) \(subsampling?.rawValue ?? "") \(isProgressive ? "progressive" : "baseline")"
        }
    }

    static let kinds: [Kind] = [false, true].flatMap { isProgressive in
        [Kind(format: .gray, subsampling: nil, isProgressive: isProgressive)]
            + [Kind(format: .cmyk, subsampling: nil, isProgressive: isProgressive)]
            + JPEGSubsampling.allCases.map { Kind(format: .rgb, subsampling: $0, isProgressive: isProgressive) }
    }

    /// A file of whole blocks of whose last the frame header states less, as a lossless crop leaves it.
    ///
    /// The sides may shrink within their last block only: the header also tells how many blocks a scan has.
    private func file(_ kind: Kind, cropped size: PixelSize, _ sample: (_ x: Int, _ y: Int, _ channel: Int) -> UInt8)
        throws -> [UInt8]
    {
        let whole = PixelSize(width: (size.width + 7) / 8 * 8, height: (size.height + 7) / 8 * 8)
        var bytes: [UInt8] = []
        for y in 0..<whole.height {
            for x in 0..<whole.width {
                for channel in 0..<kind.format.bytesPerPixel { bytes.append(sample(x, y, channel)) }
            }
        }
        var options = EncodingOptions()
        options.quality = 1
        // Without what other efforts do to chroma beside edges.
        options.jpeg.tables = .standard
        options.jpeg.subsampling = kind.subsampling
        options.jpeg.isProgressive = kind.isProgressive
        let image = RasterImage(bitmap: try Bitmap(copying: bytes, size: whole, format: kind.format))
        var file = try JPEGCoder().encode(image, to: .jpeg, options: options)
        let frame = try #require(JPEGBytes.frameHeader(in: file))
        file[frame + 5...frame + 8] = [
            UInt8(size.height >> 8), UInt8(size.height & 255), UInt8(size.width >> 8), UInt8(size.width & 255),
        ]
        return file
    }

    /// Sides that end in a block, with more of their last MCU left out than they have of it and less.
    private static let sizes = [(121, 89), (113, 95), (100, 81), (97, 67), (127, 90), (66, 50)].map {
        PixelSize(width: $0.0, height: $0.1)
    }

    @Test(arguments: kinds) func whatWasCroppedAwayIsNotSeen(_ kind: Kind) throws {
        for size in Self.sizes {
            // No sample of chroma holds both: it stands for at most 4x1 or 2x2 pixels.
            let file = try file(kind, cropped: size) { x, y, channel in
                x < (size.width + 3) / 4 * 4 && y < (size.height + 1) / 2 * 2
                    ? [200, 180, 80, 220][channel] : [20, 40, 200, 30][channel]
            }
            var options = DecodingOptions()
            options.pixelFormat = .rgb
            let color = try JPEGCoder().decode(ImageData(file), options: options).bitmap.packedBytes().prefix(3).map {
                Int($0)
            }
            for quality in [DecodingOptions.ThumbnailQuality.fast, .best] {
                for (width, height) in [(64, 48), (50, 45), (32, 24), (20, 20), (16, 12), (9, 9)] {
                    var options = DecodingOptions.thumbnail(width: width, height: height)
                    options.thumbnailQuality = quality
                    options.pixelFormat = .rgb
                    let bitmap = try JPEGCoder().decode(ImageData(file), options: options).bitmap
                    let bytes = bitmap.packedBytes()
                    let largest = bytes.indices.map { abs(Int(bytes[$0]) - color[$0 % 3]) }.max() ?? 255
                    #expect(largest <= 4, "\(size) in \(width)x\(height) \(quality)")
                    let pieces = try JPEGCoder().decode(file, inPiecesOf: 100, options: options)
                    #expect(pieces?.bitmap.packedBytes() == bytes)
                }
            }
        }
    }

    @Test(arguments: kinds) func reducedSamplesAreMeansOfThePictureAlone(_ kind: Kind) throws {
        for size in Self.sizes {
            let file = try file(kind, cropped: size) { x, y, channel in
                UInt8(60 + (x * (7 + channel) + y * 5 + x * y / 9) % 140)
            }
            let full = try planes(file, .full)
            for eighths in [4, 2, 1] {
                let target = PixelSize(width: (size.width * eighths + 7) / 8, height: (size.height * eighths + 7) / 8)
                let frame = try #require(try JPEGBytes.reducedFrame(of: file, for: target))
                guard frame.scale.rawValue == eighths else { continue }
                for (index, reduced) in try planes(file, .fitting(target, .stretch)).enumerated() {
                    let component = frame.components[index]
                    // Of a progressive file only the means of blocks are decoded at an eighth.
                    if component.dctSize == 1, kind.isProgressive { continue }
                    #expect(
                        difference(reduced, full[index], reduction: 8 / component.dctSize) <= 1, "\(size) \(eighths)/8")
                }
            }
        }
    }

    private func planes(_ file: [UInt8], _ size: DecodingOptions.OutputSize) throws -> [Bitmap] {
        var options = DecodingOptions()
        options.size = size
        options.thumbnailQuality = .fast
        var decoder = JPEGDecoder(options: options, keepsPlanes: true)
        _ = try decoder.append(file.span)
        _ = try decoder.finish()
        return decoder.componentPlanes
    }

    /// The largest difference between samples and the means of the squares that they stand for.
    private func difference(_ reduced: Bitmap, _ full: Bitmap, reduction: Int) -> Int {
        let (samples, all) = (reduced.packedBytes(), full.packedBytes())
        var largest = 0
        for y in 0..<reduced.height {
            for x in 0..<reduced.width {
                var (sum, count) = (0, 0)
                for row in y * reduction..<min((y + 1) * reduction, full.height) {
                    for column in x * reduction..<min((x + 1) * reduction, full.width) {
                        sum += Int(all[row * full.width + column])
                        count += 1
                    }
                }
                largest = max(largest, abs(Int(samples[y * reduced.width + x]) - (sum + count / 2) / count))
            }
        }
        return largest
    }
}
