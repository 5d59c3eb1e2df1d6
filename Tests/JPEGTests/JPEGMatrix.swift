// The matrix of small files: see Scripts/make-jpeg-matrix for how it was made.

import ImageCodecsCore

/// A small JPEG file with the checksums of what djpeg makes of it.
struct MatrixFile: Sendable, CustomStringConvertible {
    let name: String
    let bytes: [UInt8]
    /// CRC-32 of the RGB pixels at 8/8, 4/8, 2/8 and 1/8.
    let checksums: [String]

    var description: String { name }

    static let all: [MatrixFile] = {
        var records = FixtureRecords("jpeg/matrix.bin")
        var files: [MatrixFile] = []
        while !records.isAtEnd {
            files.append(
                MatrixFile(
                    name: records.text(), bytes: records.bytes(), checksums: (0..<4).map { _ in records.checksum() }))
        }
        return files
    }()

    /// One of every `stride` files.
    static func sample(every stride: Int) -> [MatrixFile] {
        Swift.stride(from: 0, to: all.count, by: stride).map { all[$0] }
    }
}

extension DecodingOptions {
    /// Everything at its default but for damage, which is put up with.
    static let tolerant: DecodingOptions = {
        var options = DecodingOptions()
        options.strictness = .tolerant
        return options
    }()
}
