import CodecTestSupport
import Testing
import WebPCodec

/// Filters of alpha against the standard's text.
@Suite struct AlphaFilterTests {
    /// What the standard lets expect at a pixel.
    private func expected(_ plane: [[Int]], _ x: Int, _ y: Int, _ filter: AlphaFilter) -> Int {
        guard filter != .none, x > 0 || y > 0 else { return 0 }
        guard x > 0 else { return plane[y - 1][0] }
        guard y > 0 else { return plane[0][x - 1] }
        let (left, above) = (plane[y][x - 1], plane[y - 1][x])
        return switch filter {
        case .none: 0
        case .horizontal: left
        case .vertical: above
        case .gradient: min(max(left + above - plane[y - 1][x - 1], 0), 255)
        }
    }

    @Test(arguments: AlphaFilter.allCases, [1, 2, 3, 16, 33])
    func filtersAreUndone(_ filter: AlphaFilter, width: Int) {
        var random = SeededRandom(seed: UInt64(width))
        let height = 9
        let plane = (0..<height).map { _ in (0..<width).map { _ in Int(random.next() >> 32) & 255 } }
        var filtered: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                filtered.append(UInt8(truncatingIfNeeded: plane[y][x] - expected(plane, x, y, filter)))
            }
        }
        for y in 0..<height {
            let start = max(0, y - 1) * width
            var rows = filtered[start..<(y + 1) * width]
            var span = rows.mutableSpan
            filter.undo(&span, width: width)
            filtered.replaceSubrange(start..<(y + 1) * width, with: rows)
        }
        #expect(filtered == plane.joined().map { UInt8($0) })
    }
}
