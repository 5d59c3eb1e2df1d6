import Testing

@testable import ImageCore

/// What is promised of the bytes of frames: ahead of them, and no more behind their end.
@Suite struct KeptByteCountTests {
    private let request = DecodingRequest(options: DecodingOptions(), purpose: .incremental)

    @Test func whatIsToldIsNeverLessThanWhatIsThere() {
        var kept = KeptByteCount(request)
        var told = 0
        for _ in 0..<2000 {
            if kept.noteMore(700) { told = kept.byteCount(isTold: true) }
            #expect(kept.byteCount(isTold: false) <= told)
        }
    }

    @Test func itIsToldSeldom() {
        var kept = KeptByteCount(request)
        let count = (1...10_000).count { kept.note($0 * 100) }
        #expect(count > 1 && count < 20)
    }

    @Test func whatDidNotComeIsTakenBack() {
        var (whole, cut) = (KeptByteCount(request), KeptByteCount(request))
        _ = whole.note(5000)
        _ = cut.note(4000)
        _ = cut.note(40_000)
        cut.endEarly(5000)
        #expect(cut.byteCount(isTold: true) == whole.byteCount(isTold: false))
    }

    @Test func framesThatAreNoneWereHeld() {
        var kept = KeptByteCount(request)
        _ = kept.note(70_000)
        kept.cancelFrame()
        #expect(kept.byteCount(isTold: true) == ByteCollector.peakByteCount(collecting: 70_000))
    }

    @Test func theLargestFrameOfAllCounts() {
        var kept = KeptByteCount(request)
        for count in [10_000, 90_000, 20] {
            _ = kept.note(count)
            kept.endFrame()
        }
        let bytes = FrameByteStore.byteCount(100_020)
        #expect(kept.byteCount(isTold: false) == bytes + ByteCollector.peakByteCount(collecting: 90_000))
    }

    @Test func aFileInMemoryIsNotKept() {
        var kept = KeptByteCount(DecodingRequest(options: .default, purpose: .incremental, data: ImageData([1])))
        let isTold = kept.note(1_000_000)
        #expect(!isTold)
        #expect(kept.byteCount(isTold: true) == 0)
    }
}
