import JPEGCodec
import Testing

@Suite struct ScanKindTests {
    @Test func spectralStartAndApproximationTellTheKind() {
        #expect(ScanKind(spectralStart: 0, approximationHigh: 0) == .dcFirst)
        #expect(ScanKind(spectralStart: 0, approximationHigh: 1) == .dcRefinement)
        #expect(ScanKind(spectralStart: 1, approximationHigh: 0) == .acFirst)
        #expect(ScanKind(spectralStart: 6, approximationHigh: 2) == .acRefinement)
    }
}
