// Curves of profiles: `curv` and `para`.
//
// Source: ICC.1:2022 §10.6 "curveType", §10.18 "parametricCurveType".

import ImageCodecsCore

/// Reads curves of one tag.
struct CurveReader {
    let bytes: [UInt8]
    /// The tag that the curves are in, for errors.
    let tag: String

    /// The most values of one curve.
    static let maxValueCount = 65536

    /// The curve at the begin of a range, and how many bytes it takes.
    func curve(in range: Range<Int>) throws(ICCProfileError) -> (curve: ToneCurve, byteCount: Int) {
        guard range.count >= 12 else { throw ICCProfileError(.truncated, tag: tag, at: range.upperBound) }
        switch bytes.signature(at: range.lowerBound) {
        case "curv": return try sampled(range)
        case "para": return try parametric(range)
        default: throw ICCProfileError(.unsupportedTagType, tag: tag, at: range.lowerBound)
        }
    }

    private func sampled(_ range: Range<Int>) throws(ICCProfileError) -> (curve: ToneCurve, byteCount: Int) {
        let count = Int(bytes.word32(at: range.lowerBound + 8))
        guard count <= Self.maxValueCount else { throw ICCProfileError(.tooLarge, tag: tag, at: range.lowerBound + 8) }
        guard range.count >= 12 + 2 * count else { throw ICCProfileError(.truncated, tag: tag, at: range.upperBound) }
        let values = range.lowerBound + 12
        switch count {
        case 0: return (.identity, 12)
        case 1: return (.gamma(Double(bytes.word16(at: values)) / 256), 14)
        default: return (.table((0..<count).map { bytes.word16(at: values + 2 * $0) }), 12 + 2 * count)
        }
    }

    /// Types 0 to 4 with g, a, b, c, d, e, f in this order, as far as a type has them.
    private func parametric(_ range: Range<Int>) throws(ICCProfileError) -> (curve: ToneCurve, byteCount: Int) {
        let type = Int(bytes.word16(at: range.lowerBound + 8))
        let counts = [1, 3, 4, 5, 7]
        guard type < counts.count else { throw ICCProfileError(.invalidTag, tag: tag, at: range.lowerBound + 8) }
        let byteCount = 12 + 4 * counts[type]
        guard range.count >= byteCount else { throw ICCProfileError(.truncated, tag: tag, at: range.upperBound) }
        let p = (0..<counts[type]).map { bytes.fixed16(at: range.lowerBound + 12 + 4 * $0) }
        // A power above 100 is a step; below 0 there is no end of it at 0.
        guard p[0] > 0, p[0] <= 100 else { throw ICCProfileError(.invalidTag, tag: tag, at: range.lowerBound + 12) }
        let curve: ParametricCurve
        switch type {
        case 0: return (.gamma(p[0]), byteCount)
        case 1, 2:
            guard p[1] != 0 else { throw ICCProfileError(.invalidTag, tag: tag, at: range.lowerBound + 16) }
            let shift = type == 2 ? p[3] : 0
            curve = ParametricCurve(
                exponent: p[0], scale: p[1], offset: p[2], shift: shift, floor: shift, threshold: -p[2] / p[1])
        case 3: curve = ParametricCurve(exponent: p[0], scale: p[1], offset: p[2], slope: p[3], threshold: p[4])
        default:
            curve = ParametricCurve(
                exponent: p[0], scale: p[1], offset: p[2], shift: p[5], slope: p[3], floor: p[6], threshold: p[4])
        }
        return (.parametric(curve), byteCount)
    }
}
