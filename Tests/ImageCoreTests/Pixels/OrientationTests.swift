import CodecTestSupport
import ImageCodecsCore
import Testing

@Suite struct OrientationTests {
    /// What is seen of the stored picture `abc / def` (3x2) in each orientation, from the drawings of the standard.
    private static let seen: [(Orientation, [String])] = [
        (.up, ["abc", "def"]),
        (.upMirrored, ["cba", "fed"]),
        (.down, ["fed", "cba"]),
        (.downMirrored, ["def", "abc"]),
        (.leftMirrored, ["ad", "be", "cf"]),
        (.right, ["da", "eb", "fc"]),
        (.rightMirrored, ["fc", "eb", "da"]),
        (.left, ["cf", "be", "ad"]),
    ]

    private func orient(_ rows: [String], _ orientation: Orientation) -> [String] {
        let size = PixelSize(width: rows[0].utf8.count, height: rows.count)
        let seen = orientation.size(ofStored: size)
        var target = [UInt8](repeating: 0, count: seen.width * seen.height)
        rows.flatMap { Array($0.utf8) }.withRawSpan { source in
            target.withMutableRawSpan {
                OrientationKernelsReference.orient(
                    source, bytesPerRow: size.width, size: size, bytesPerPixel: 1, orientation: orientation, into: &$0,
                    targetBytesPerRow: seen.width)
            }
        }
        return stride(from: 0, to: target.count, by: seen.width).map {
            String(decoding: target[$0..<$0 + seen.width], as: UTF8.self)
        }
    }

    @Test func rawValuesAreThoseOfEXIF() {
        #expect(Orientation.allCases.map(\.rawValue) == Array(1...8))
        #expect(Orientation.right.rawValue == 6)
        #expect(Orientation.left.rawValue == 8)
    }

    @Test(arguments: seen)
    func pixelsGoWhereTheStandardSays(_ orientation: Orientation, _ expected: [String]) {
        #expect(orient(["abc", "def"], orientation) == expected)
        #expect(orientation.swapsAxes == (expected.count == 3))
    }

    @Test(arguments: Orientation.allCases)
    func inverseRestoresThePicture(_ orientation: Orientation) {
        let picture = ["abc", "def"]
        #expect(orient(orient(picture, orientation), orientation.inverse) == picture)
        #expect(orientation.followed(by: orientation.inverse) == .up)
    }

    @Test(arguments: Orientation.allCases)
    func compositionIsOneAfterTheOther(_ first: Orientation) {
        for second in Orientation.allCases {
            let picture = ["abc", "def"]
            let both = orient(orient(picture, first), second)
            #expect(orient(picture, first.followed(by: second)) == both)
        }
    }
}
