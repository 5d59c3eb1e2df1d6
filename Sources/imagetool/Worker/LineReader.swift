// Lines of standard input, one at a time, each of a bounded length.

import ImageCodecs

/// Splits standard input at line breaks as it comes. A line that is too long is passed over without being held.
struct LineReader {
    enum Line: Equatable {
        case text([UInt8])
        case tooLong
    }

    private static let blockByteCount = 1 << 16

    private let maxByteCount: Int
    private var bytes: [UInt8] = []
    /// Where the bytes begin that no line was made of.
    private var start = 0
    private var hasEnded = false
    /// Lines that were read so far, blank ones included: the number of the last one, from 1.
    private(set) var lineCount = 0

    /// - Parameter maxByteCount: of a line, the line break not counted.
    init(maxByteCount: Int) { self.maxByteCount = maxByteCount }

    /// The next line that is not blank, without its line break; `nil` at the end. What stands after the last line break
    /// is a line too.
    mutating func next() throws(ImageError) -> Line? {
        while let line = try nextOfAny() {
            lineCount += 1
            if case .text(let text) = line, text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
            return line
        }
        return nil
    }

    private mutating func nextOfAny() throws(ImageError) -> Line? {
        var searched = start
        var isTooLong = false
        while true {
            if let end = bytes[searched...].firstIndex(of: 0x0A) {
                let line = bytes[start..<end]
                start = end + 1
                return isTooLong || line.count > maxByteCount ? .tooLong : .text(Array(line))
            }
            if bytes.count - start > maxByteCount {
                isTooLong = true
                start = bytes.count
            }
            if hasEnded {
                let line = bytes[start...]
                start = bytes.count
                return isTooLong ? .tooLong : line.isEmpty ? nil : .text(Array(line))
            }
            bytes.removeFirst(start)
            start = 0
            searched = bytes.count
            if try StandardInput.read(into: &bytes, maxByteCount: Self.blockByteCount) == 0 { hasEnded = true }
        }
    }
}
