// What physical sizes and quantities a picture stands for: sCAL and pCAL, kept as they are.

import ImageCodecsCore

/// Tells bodies of sCAL and pCAL from other bytes.
///
/// - Source: Extensions to the PNG 1.2 Specification 1.4.0, §2.2 "pCAL Calibration of pixel values", §2.3 "sCAL Physical scale of image
///   subject".
enum MeasureChunks {
    /// A unit, and two texts of numbers with a zero byte between them.
    static func isScale(_ body: Span<UInt8>) -> Bool {
        guard body.count >= 4, body[0] == 1 || body[0] == 2 else { return false }
        var zero: Int?
        for index in 1..<body.count where body[index] == 0 {
            guard zero == nil else { return false }
            zero = index
        }
        return zero.map { $0 > 1 && $0 < body.count - 1 } ?? false
    }

    /// A name of 1 to 79 bytes, a zero byte, two numbers, the equation's number, how many parameters there are, a unit that may be
    /// empty, a zero byte, and at least one parameter.
    static func isCalibration(_ body: Span<UInt8>) -> Bool {
        var end = 0
        while end < min(body.count, 80), body[end] != 0 { end += 1 }
        return (1...79).contains(end) && body.count - end >= 13
    }
}
