// Places in files that tests look at and change.

import ImageCodecsCore
import JPEGBaselineCodec

/// Segments of files whose application segments hold no marker of a frame.
enum JPEGBytes {
    /// Where the marker of the frame header is.
    static func frameHeader(in file: [UInt8]) -> Int? { segment([0xC0, 0xC1, 0xC2], in: file) }

    /// Where the first marker with one of some codes is, going from segment to segment up to the first scan.
    static func segment(_ codes: [UInt8], in file: [UInt8]) -> Int? {
        var position = 2
        while position + 4 <= file.count {
            if codes.contains(file[position + 1]) { return position }
            if file[position + 1] == 0xDA { return nil }
            position += 2 + Int(file[position + 2]) << 8 + Int(file[position + 3])
        }
        return nil
    }

    /// Where the marker after the coded data of the first scan is.
    static func endOfFirstScan(in file: [UInt8]) -> Int? {
        guard var position = segment([0xDA], in: file) else { return nil }
        position += 2
        while position + 1 < file.count {
            if file[position] == 0xFF, file[position + 1] != 0, !(0xD0...0xD7).contains(file[position + 1]) {
                return position
            }
            position += 1
        }
        return nil
    }

    /// The frame at the scale of the fastest thumbnail of `target`.
    static func reducedFrame(of file: [UInt8], for target: PixelSize) throws -> FrameGeometry? {
        guard let start = frameHeader(in: file) else { return nil }
        let end = start + 2 + Int(file[start + 2]) << 8 + Int(file[start + 3])
        let body = Array(file[start + 4..<end])
        return try JPEGFrameHeader(marker: Marker(rawValue: file[start + 1]), body: body.span, offset: 0)
            .geometry(scale: .full).reduced(to: target, .fast)
    }
}

extension FrameGeometry {
    /// Whether no reduced sample reaches beyond the picture.
    var hasWholeSamples: Bool {
        zip(components, scaled(to: .full).components).allSatisfy {
            $1.widthInSamples % (8 / $0.dctSize) == 0 && $1.heightInSamples % (8 / $0.dctSize) == 0
        }
    }
}
