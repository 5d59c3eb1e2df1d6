// DRI and DNL: the restart interval, and a height that comes after the first scan.

package import ImageCodecsCore

/// MCUs between restart markers, 0 for none.
///
/// - Source: ITU-T T.81 (1992) §B.2.4.4 "Restart interval definition syntax".
package enum RestartInterval {
    package static func read(_ body: Span<UInt8>, offset: Int) throws(ImageError) -> Int {
        guard body.count == 2 else {
            throw .corruptJPEG(.jpegRestartInterval, offset, "restart interval has a wrong length")
        }
        return Int(body.bigEndianUInt16(at: 0))
    }
}

/// The number of lines, if the frame header leaves it at 0 or is wrong about it.
///
/// - Source: ITU-T T.81 (1992) §B.2.5 "Define number of lines syntax".
package enum NumberOfLines {
    package static func read(_ body: Span<UInt8>, offset: Int) throws(ImageError) -> Int {
        guard body.count == 2, Int(body.bigEndianUInt16(at: 0)) > 0 else {
            throw .corruptJPEG(.jpegLinesMissing, offset, "number of lines is missing")
        }
        return Int(body.bigEndianUInt16(at: 0))
    }
}
