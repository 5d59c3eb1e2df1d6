import ImageCodecsCore
import JPEGCodec
import Testing

/// The predictors of T.81 §H.1.2.1, table H.1, on numbers worked out by hand.
@Suite struct PredictionTests {
    /// Above 10 20 65535; differences 1 2 65535 (which is -1). Each sample is its prediction plus its difference, modulo 65536.
    @Test(arguments: [
        (Prediction.left, [11, 13, 12]), (.above, [11, 22, 65534]), (.aboveLeft, [11, 12, 19]),
        (.plane, [11, 23, 1]), (.leftWithSlope, [11, 18, 32774]), (.aboveWithSlope, [11, 22, 65535]),
        (.mean, [11, 17, 32775]),
    ])
    func samplesArePredictedFromTheirNeighbours(_ prediction: Prediction, _ expected: [UInt16]) {
        let (above, differences): ([UInt16], [UInt16]) = ([10, 20, 65535], [1, 2, 65535])
        #expect(prediction.reconstructed(differences, above: above) == expected)
    }

    @Test func theFirstRowIsPredictedFromTheLeft() {
        #expect(Prediction.begun([1, 2, 65535], first: 128) == [129, 131, 130])
    }
}

extension Prediction {
    fileprivate static func begun(_ differences: [UInt16], first: UInt16) -> [UInt16] {
        row(differences) { beginRows($0, first: first, into: &$1) }
    }

    fileprivate func reconstructed(_ differences: [UInt16], above: [UInt16]) -> [UInt16] {
        Self.row(differences) { differences, row in
            above.withSpan { reconstruct(differences, above: $0, into: &row) }
        }
    }

    private static func row(
        _ differences: [UInt16], _ body: (Span<UInt16>, inout MutableSpan<UInt16>) -> Void
    ) -> [UInt16] {
        var bytes = [UInt8](repeating: 0, count: 2 * differences.count)
        bytes.withMutableBytes { bytes in
            bytes.withNumbers(of: UInt16.self) { row in differences.withSpan { body($0, &row) } }
        }
        return stride(from: 0, to: bytes.count, by: 2).map {
            UInt16(littleEndian: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
        }
    }
}
