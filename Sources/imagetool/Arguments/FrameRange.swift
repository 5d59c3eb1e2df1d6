// Which frames of an animation are wanted.

import ArgumentParser
package import ImageCodecs

/// What `--range` asks for, numbers of frames from 0, the last included.
///
///     2-5    frames 2, 3, 4 and 5
///     2-     frame 2 and all after it
///     -5     frames 0 to 5
///     2      frame 2 alone
package struct FrameRange: Hashable, Sendable {
    private let text: String
    private let first: Int
    /// `nil` where the range has no end of its own.
    private let last: Int?

    /// Reads a range.
    ///
    /// - Parameter text: one of the forms above.
    /// - Throws: `ValidationError` for anything else.
    package init(_ text: String) throws {
        self.text = text
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard (1...2).contains(ends.count), ends.contains(where: { !$0.isEmpty }),
            let first = ends[0].isEmpty ? 0 : Self.number(ends[0])
        else { throw Self.refusal }
        self.first = first
        if ends.count == 1 {
            last = first
        } else if ends[1].isEmpty {
            last = nil
        } else {
            guard let last = Self.number(ends[1]) else { throw Self.refusal }
            guard last >= first else { throw ValidationError("the range ends before it begins") }
            self.last = last
        }
    }

    private static var refusal: ValidationError {
        ValidationError("a range is A-B, A-, -B or A, numbers of frames from 0")
    }

    private static func number(_ digits: Substring) -> Int? {
        digits.allSatisfy { ("0"..."9").contains($0) } ? Int(digits) : nil
    }

    /// The number of the first frame.
    package var firstIndex: Int { first }

    /// The frames' numbers.
    ///
    /// - Parameter count: how many frames there are.
    /// - Throws: `invalidArgument` if one of them is not there.
    package func indices(in count: Int) throws(ImageError) -> Range<Int> {
        guard first < count, last ?? 0 < count else {
            let frames =
                switch count {
                case 0: "there is no frame"
                case 1: "there is one frame, number 0"
                default: "there are \(count) frames, 0 to \(count - 1)"
                }
            throw .invalidArgument("--range \(text): \(frames)")
        }
        return first..<(last.map { $0 + 1 } ?? count)
    }
}
