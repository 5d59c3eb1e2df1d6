import ArgumentParser
import ImageCodecsCore
import Testing
import imagetool

/// What `frames --range` understands.
@Suite struct FrameRangeTests {
    @Test(arguments: [("2-5", 2..<6), ("2-", 2..<8), ("-5", 0..<6), ("2", 2..<3), ("0-7", 0..<8), ("7-7", 7..<8)])
    func bothEndsAreIncluded(_ text: String, _ expected: Range<Int>) throws {
        #expect(try FrameRange(text).indices(in: 8) == expected)
    }

    @Test(arguments: ["", "-", "--2", "a", "1-b", "+1", "1-2-3", "5-2", " 1", "99999999999999999999"])
    func otherTextsAreRefused(_ text: String) {
        #expect(throws: ValidationError.self) { try FrameRange(text) }
    }

    @Test(arguments: ["8", "8-", "3-8", "-8", "9223372036854775807", "0-9223372036854775807"])
    func framesThatAreNotThereAreAnError(_ text: String) throws {
        let range = try FrameRange(text)
        #expect(throws: ImageError.invalidArgument("--range \(text): there are 8 frames, 0 to 7")) {
            try range.indices(in: 8)
        }
    }

    @Test func filesOfOneFrameOrNoneSaySo() throws {
        let range = try FrameRange("1")
        #expect(throws: ImageError.invalidArgument("--range 1: there is one frame, number 0")) {
            try range.indices(in: 1)
        }
        #expect(throws: ImageError.invalidArgument("--range 1: there is no frame")) {
            try range.indices(in: 0)
        }
    }
}
