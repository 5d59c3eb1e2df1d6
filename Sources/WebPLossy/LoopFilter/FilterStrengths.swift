// How strong the loop filter is, for each segment and each way that luma is predicted.

extension FilterPlan {
    /// - Parameters:
    ///   - filter: of the frame header.
    ///   - segments: of the frame header.
    /// - Source: RFC 6386 section 9.4 "Loop Filter Type and Levels", section 15.2 "Simple Filter", section 15.4 "Calculation
    ///   of Control Parameters"
    package init(_ filter: FilterHeader, _ segments: SegmentHeader) {
        self.init()
        // A level of 0 switches the filter off for all segments.
        guard filter.level > 0 else { return }
        kind = filter.isSimple ? .simple : .normal
        for index in strengths.indices {
            strengths[index] = FilterStrength(
                level: Self.level(filter, segments, index), sharpness: filter.sharpness)
        }
    }

    /// Filter levels in the order of ``strengths``.
    static func levels(_ filter: FilterHeader, _ segments: SegmentHeader) -> [Int] {
        (0..<8).map { filter.level > 0 ? level(filter, segments, $0) : 0 }
    }

    /// One of them, if there is a filter.
    private static func level(_ filter: FilterHeader, _ segments: SegmentHeader, _ index: Int) -> Int {
        var level = segments.value(frame: filter.level, segments.filterLevels, segment: index / 2)
        let hasSubblockModes = index % 2 == 1
        if filter.hasDeltas {
            level += filter.intraFrameDelta
            if hasSubblockModes { level += filter.subblockModeDelta }
        }
        return min(max(level, 0), 63)
    }
}

extension FilterStrength {
    /// - Parameters:
    ///   - level: 0...63.
    ///   - sharpness: 0...7.
    /// - Source: RFC 6386 section 15.4 "Calculation of Control Parameters"
    package init(level: Int, sharpness: Int) {
        self.init()
        guard level > 0 else { return }
        var interior = level
        if sharpness > 0 {
            interior >>= sharpness > 4 ? 2 : 1
            interior = min(interior, 9 - sharpness)
        }
        interior = max(interior, 1)
        interiorLimit = UInt8(interior)
        // At most 2 * 63 + 63; the kernels add 4 between macroblocks.
        edgeLimit = UInt8(2 * level + interior)
        varianceThreshold = level >= 40 ? 2 : level >= 15 ? 1 : 0
    }
}
