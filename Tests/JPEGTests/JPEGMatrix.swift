// The matrix of small files: see Scripts/make-jpeg-matrix for how it was made.

import CodecTestSupport
import ImageCore
import JPEGBaseline

/// A small JPEG file with the checksums of what djpeg makes of it.
struct MatrixFile: Sendable, CustomStringConvertible {
    let name: String
    let bytes: [UInt8]
    /// CRC-32 of the RGB pixels at 8/8, 4/8, 2/8 and 1/8.
    let checksums: [String]

    var description: String { name }

    static let all: [MatrixFile] = {
        guard let content = try? FixtureBytes.inflate("jpeg/matrix.bin", limit: 4 << 20) else { return [] }
        var files: [MatrixFile] = []
        var position = 0
        func number() -> Int {
            defer { position += 4 }
            return Int(content.span.littleEndianUInt32(at: position))
        }
        func bytes() -> [UInt8] {
            let count = number()
            defer { position += count }
            return Array(content[position..<position + count])
        }
        while position < content.count {
            let name = String(decoding: bytes(), as: UTF8.self)
            let file = bytes()
            let checksums = (0..<4).map { _ in
                let digits = String(number(), radix: 16)
                return String(repeating: "0", count: 8 - digits.count) + digits
            }
            files.append(MatrixFile(name: name, bytes: file, checksums: checksums))
        }
        return files
    }()

    /// One of every `stride` files.
    static func sample(every stride: Int) -> [MatrixFile] {
        Swift.stride(from: 0, to: all.count, by: stride).map { all[$0] }
    }

    /// The scale that the fastest thumbnail of `target` is decoded at, in eighths.
    static func fastScale(of size: PixelSize, for target: PixelSize) -> Int? {
        let gray = FrameGeometry.ComponentSpecification(
            identifier: 1, horizontalSampling: 1, verticalSampling: 1, quantizationTable: 0)
        return FrameGeometry(size: size, components: [gray])?.reduced(to: target, .fast).scale.rawValue
    }
}
