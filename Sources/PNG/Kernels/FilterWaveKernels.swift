// Several scanlines undone at once, each a little behind the one above it.
//
// Within a scanline, Average and Paeth wait for the pixel to the left: a chain that a processor cannot shorten, and which
// leaves most of it idle. The scanline below needs of this one only what lies above and above left, which is long done
// if it stays two pixels behind. So four scanlines go together, a pixel of each in one vector:
//
//     scanline 0   . . . . . . x          x: the pixel of this step
//     scanline 1   . . . . x              above x of scanline 1 is what scanline 0 was given two steps ago
//     scanline 2   . . x
//     scanline 3   x
//
// Two pixels, not one: with one the pixel above would come out of the step just before, and lengthen the chain.
//
// Before its first pixel a scanline takes zeros in, and zeros come out whatever the filter: these are the pixels left of
// the first one, which the filters take for zero. After its last pixel nothing is stored.
//
// Four lanes of 32 bits hold pixels of up to four bytes, two lanes of 64 bits any; what a lane has beyond its pixel
// belongs to the next ones and is stored too, to be overwritten in the steps that follow.

/// Scanlines that lie one after another, and where they go to.
package struct ScanlineWave: Sendable {
    /// Their filter types: two, three or four.
    package var filters: FilterGroup
    /// Where the first one starts among the unpacked bytes, after its filter type byte.
    package var first: Int
    /// The reconstructed scanline above the first one.
    package var above: ScanlinePlace
    /// Where they go to, in the buffer of lines. With three scanlines the fourth place is written to as well.
    ///
    /// The fourth may be the scanline above itself, which is read six pixels further on; no other may.
    package var targets: SIMD4<Int>

    package init(filters: FilterGroup, first: Int, above: ScanlinePlace, targets: SIMD4<Int>) {
        (self.filters, self.first, self.above, self.targets) = (filters, first, above, targets)
    }
}

#if !ReferenceKernels
private typealias Bytes = ScanlineBytes

/// What a lane's scanline is filtered with; the same for all lanes in most groups.
private enum WavePredictor {
    case average, paeth
    case mixed(WaveMasks)
}

/// For each filter type the bytes of the lanes that have it: 255 there, 0 elsewhere.
private struct WaveMasks {
    var sub = Bytes()
    var up = Bytes()
    var average = Bytes()
    var paeth = Bytes()
}

extension ScanlineWave {
    /// Reconstructs the scanlines.
    ///
    /// - Parameters:
    ///   - unpacked: holds them, each after its filter type byte.
    ///   - lines: gets them.
    ///   - byteCount: bytes of a scanline without its filter type byte.
    ///   - distance: bytes of a pixel: 1, 2, 3, 4, 6 or 8.
    /// - Precondition: pixels of more than four bytes go in pairs, and all scanlines lie in their buffers.
    /// - Source: PNG 3rd ed. §9.2 "Filter types for filter method 0".
    package func undo(_ unpacked: RawSpan, in lines: inout MutableRawSpan, byteCount: Int, distance: Int) {
        let count = filters.count
        precondition(count > 1 && distance > 0 && (distance <= 4 || distance <= 8 && count == 2), "no such group")
        precondition(first >= 0 && byteCount >= 0 && byteCount < 1 << 40, "no such scanlines")
        checkScanline(unpacked.byteCount, first, count * (byteCount + 1) - 1)
        checkPlace(above, unpacked, lines.byteCount, byteCount)
        let laneCount = count == 2 ? 2 : 4
        for lane in 0..<laneCount {
            checkScanline(lines.byteCount, targets[lane], byteCount)
            for other in 0..<lane {
                precondition(abs(targets[lane] - targets[other]) >= byteCount, "overlapping lines")
            }
            guard case .line(let above) = above, lane < 3 else { continue }
            precondition(abs(targets[lane] - above) >= byteCount, "overwrites the line above")
        }
        let predictor = predictor
        let (first, above, targets) = (first, above, targets)
        unsafe withScanlines(unpacked, &lines) { unpacked, lines in
            // SAFETY: all scanlines of `byteCount` bytes lie in the buffers (checked above). If there are three, the
            // fourth lane reads the third scanline once more.
            let from = unsafe unpacked + first
            let stride = byteCount &+ 1
            let lanes = unsafe WaveLanes(
                from: (from, from + stride, from + stride &* min(2, count &- 1), from + stride &* (count &- 1)),
                above: address(of: above, unpacked, lines),
                to: (
                    lines + targets[0], lines + targets[1], lines + targets[2 % laneCount],
                    lines + targets[3 % laneCount]
                ),
                byteCount: byteCount, distance: distance)
            switch predictor {
            case .paeth: unsafe laneCount == 2 ? paethTwoLanes(lanes) : paethFourLanes(lanes)
            case .average: unsafe laneCount == 2 ? averageTwoLanes(lanes) : averageFourLanes(lanes)
            case .mixed(let masks): unsafe laneCount == 2 ? mixedTwoLanes(lanes, masks) : mixedFourLanes(lanes, masks)
            }
        }
    }

    private var predictor: WavePredictor {
        if filters.areAll(.paeth) { return .paeth }
        if filters.areAll(.average) { return .average }
        let laneByteCount = filters.count == 2 ? 8 : 4
        var masks = WaveMasks()
        for lane in 0..<filters.count {
            for byte in lane * laneByteCount..<(lane + 1) * laneByteCount {
                switch filters[lane] {
                case .none: break
                case .sub: masks.sub[byte] = 255
                case .up: masks.up[byte] = 255
                case .average: masks.average[byte] = 255
                case .paeth: masks.paeth[byte] = 255
                }
            }
        }
        return .mixed(masks)
    }
}

// MARK: - Lanes

/// Pointers of a group; the first two alone count where two scanlines go together.
@unsafe
private struct WaveLanes {
    typealias Source = UnsafePointer<UInt8>
    typealias Target = UnsafeMutablePointer<UInt8>

    let from: (Source, Source, Source, Source)
    let above: Source
    let to: (Target, Target, Target, Target)
    let byteCount: Int
    let distance: Int

    /// Bytes between a pixel and the one that the next lane is at in the same step.
    var lag: Int { unsafe 2 &* distance }
}

/// What goes from a step to the next: the pixels to the left, those one step older, and those above left.
private struct WaveState {
    var a = Bytes()
    var older = Bytes()
    var c = Bytes()
}

// A function for each loop: in one that holds them all the compiler leaves loads as calls.

@inline(never)
private func paethFourLanes(_ lanes: WaveLanes) {
    unsafe runFour(lanes) { a, b, c, x in paethSum(a, b, c, x) }
}

@inline(never)
private func averageFourLanes(_ lanes: WaveLanes) {
    unsafe runFour(lanes) { a, b, _, x in averageOf(a, b) &+ x }
}

@inline(never)
private func mixedFourLanes(_ lanes: WaveLanes, _ masks: WaveMasks) {
    unsafe runFour(lanes) { a, b, c, x in mixedSum(a, b, c, x, masks) }
}

@inline(never)
private func paethTwoLanes(_ lanes: WaveLanes) {
    unsafe runTwo(lanes) { a, b, c, x in paethSum(a, b, c, x) }
}

@inline(never)
private func averageTwoLanes(_ lanes: WaveLanes) {
    unsafe runTwo(lanes) { a, b, _, x in averageOf(a, b) &+ x }
}

@inline(never)
private func mixedTwoLanes(_ lanes: WaveLanes, _ masks: WaveMasks) {
    unsafe runTwo(lanes) { a, b, c, x in mixedSum(a, b, c, x, masks) }
}

@inline(__always)
private func runFour(_ lanes: WaveLanes, _ predict: (Bytes, Bytes, Bytes, Bytes) -> Bytes) {
    let (byteCount, distance, lag) = unsafe (lanes.byteCount, lanes.distance, lanes.lag)
    var state = WaveState()
    var i = 0
    // While the lower lanes have not all begun.
    while i < min(3 &* lag, byteCount) {
        unsafe stepFour(lanes, &state, at: i, predict)
        i &+= distance
    }
    var (a, older, c) = (state.a, state.older, state.c)
    let (from0, from1) = unsafe (lanes.from.0, lanes.from.1 - lag)
    let (from2, from3) = unsafe (lanes.from.2 - 2 &* lag, lanes.from.3 - 3 &* lag)
    let (to0, to1) = unsafe (lanes.to.0, lanes.to.1 - lag)
    let (to2, to3) = unsafe (lanes.to.2 - 2 &* lag, lanes.to.3 - 3 &* lag)
    let above = unsafe lanes.above
    // SAFETY: a lane is `lag` bytes behind the one above it, and 3 * lag <= i; four bytes are accessed, i + 4 <= byteCount.
    while i &+ 4 <= byteCount {
        let pixels = unsafe SIMD4<UInt32>(
            loadScanline32(from0 + i), loadScanline32(from1 + i), loadScanline32(from2 + i), loadScanline32(from3 + i))
        let b = unsafe behind(loadScanline32(above + i), older)
        older = a
        a = unsafe predict(a, b, c, unsafeBitCast(pixels, to: Bytes.self))
        c = b
        let result = unsafe unsafeBitCast(a, to: SIMD4<UInt32>.self)
        unsafe storeScanline32(result[0], to0 + i)
        unsafe storeScanline32(result[1], to1 + i)
        unsafe storeScanline32(result[2], to2 + i)
        unsafe storeScanline32(result[3], to3 + i)
        i &+= distance
    }
    state = WaveState(a: a, older: older, c: c)
    while i < byteCount &+ 3 &* lag {
        unsafe stepFour(lanes, &state, at: i, predict)
        i &+= distance
    }
}

@inline(__always)
private func runTwo(_ lanes: WaveLanes, _ predict: (Bytes, Bytes, Bytes, Bytes) -> Bytes) {
    let (byteCount, distance, lag) = unsafe (lanes.byteCount, lanes.distance, lanes.lag)
    var state = WaveState()
    var i = 0
    while i < min(lag, byteCount) {
        unsafe stepTwo(lanes, &state, at: i, predict)
        i &+= distance
    }
    var (a, older, c) = (state.a, state.older, state.c)
    let (from0, from1, above) = unsafe (lanes.from.0, lanes.from.1 - lag, lanes.above)
    let (to0, to1) = unsafe (lanes.to.0, lanes.to.1 - lag)
    // SAFETY: the second lane is `lag` bytes behind, and lag <= i; eight bytes are accessed, i + 8 <= byteCount.
    while i &+ 8 <= byteCount {
        let pixels = unsafe SIMD2<UInt64>(loadScanline64(from0 + i), loadScanline64(from1 + i))
        let b = unsafe behind(loadScanline64(above + i), older)
        older = a
        a = unsafe predict(a, b, c, unsafeBitCast(pixels, to: Bytes.self))
        c = b
        let result = unsafe unsafeBitCast(a, to: SIMD2<UInt64>.self)
        unsafe storeScanline64(result[0], to0 + i)
        unsafe storeScanline64(result[1], to1 + i)
        i &+= distance
    }
    state = WaveState(a: a, older: older, c: c)
    while i < byteCount &+ lag {
        unsafe stepTwo(lanes, &state, at: i, predict)
        i &+= distance
    }
}

/// The bytes above: of the first lane those given, of each other what the lane before it had.
@inline(__always)
private func behind(_ first: UInt32, _ older: Bytes) -> Bytes {
    let lanes = unsafe unsafeBitCast(older, to: SIMD4<UInt32>.self)
    return unsafe unsafeBitCast(SIMD4<UInt32>(first, lanes[0], lanes[1], lanes[2]), to: Bytes.self)
}

@inline(__always)
private func behind(_ first: UInt64, _ older: Bytes) -> Bytes {
    let lanes = unsafe unsafeBitCast(older, to: SIMD2<UInt64>.self)
    return unsafe unsafeBitCast(SIMD2<UInt64>(first, lanes[0]), to: Bytes.self)
}

// MARK: - Steps at the edges

/// One step in which some lanes have not begun or have ended: they take zeros in and store nothing.
@inline(__always)
private func stepFour(
    _ lanes: WaveLanes, _ state: inout WaveState, at i: Int, _ predict: (Bytes, Bytes, Bytes, Bytes) -> Bytes
) {
    let (count, lag) = unsafe (lanes.byteCount, lanes.lag)
    let pixels = unsafe SIMD4<UInt32>(
        edge32(lanes.from.0, i, count), edge32(lanes.from.1, i &- lag, count),
        edge32(lanes.from.2, i &- 2 &* lag, count), edge32(lanes.from.3, i &- 3 &* lag, count))
    let b = unsafe behind(edge32(lanes.above, i, count), state.older)
    state.older = state.a
    state.a = unsafe predict(state.a, b, state.c, unsafeBitCast(pixels, to: Bytes.self))
    state.c = b
    let result = unsafe unsafeBitCast(state.a, to: SIMD4<UInt32>.self)
    unsafe storeEdge(UInt64(result[0]), lanes.to.0, i, count, lanes.distance)
    unsafe storeEdge(UInt64(result[1]), lanes.to.1, i &- lag, count, lanes.distance)
    unsafe storeEdge(UInt64(result[2]), lanes.to.2, i &- 2 &* lag, count, lanes.distance)
    unsafe storeEdge(UInt64(result[3]), lanes.to.3, i &- 3 &* lag, count, lanes.distance)
}

@inline(__always)
private func stepTwo(
    _ lanes: WaveLanes, _ state: inout WaveState, at i: Int, _ predict: (Bytes, Bytes, Bytes, Bytes) -> Bytes
) {
    let (count, lag) = unsafe (lanes.byteCount, lanes.lag)
    let pixels = unsafe SIMD2<UInt64>(edge64(lanes.from.0, i, count), edge64(lanes.from.1, i &- lag, count))
    let b = unsafe behind(edge64(lanes.above, i, count), state.older)
    state.older = state.a
    state.a = unsafe predict(state.a, b, state.c, unsafeBitCast(pixels, to: Bytes.self))
    state.c = b
    let result = unsafe unsafeBitCast(state.a, to: SIMD2<UInt64>.self)
    unsafe storeEdge(result[0], lanes.to.0, i, count, lanes.distance)
    unsafe storeEdge(result[1], lanes.to.1, i &- lag, count, lanes.distance)
}

/// Up to four bytes from `offset` on; zero for what is outside `0..<count`.
@inline(__always)
private func edge32(_ row: UnsafePointer<UInt8>, _ offset: Int, _ count: Int) -> UInt32 {
    // SAFETY: 0 <= offset, offset + 4 <= count.
    if offset >= 0 && offset &+ 4 <= count { return unsafe loadScanline32(row + offset) }
    return unsafe UInt32(truncatingIfNeeded: slowEdge(row, offset, count))
}

/// Up to eight bytes from `offset` on; zero for what is outside `0..<count`.
@inline(__always)
private func edge64(_ row: UnsafePointer<UInt8>, _ offset: Int, _ count: Int) -> UInt64 {
    // SAFETY: 0 <= offset, offset + 8 <= count.
    if offset >= 0 && offset &+ 8 <= count { return unsafe loadScanline64(row + offset) }
    return unsafe slowEdge(row, offset, count)
}

@inline(never)
private func slowEdge(_ row: UnsafePointer<UInt8>, _ offset: Int, _ count: Int) -> UInt64 {
    guard offset >= 0 else { return 0 }
    var value: UInt64 = 0
    var i = 0
    // SAFETY: 0 <= offset + i < count.
    while i < 8 && offset &+ i < count {
        value |= unsafe UInt64(row[offset &+ i]) &<< UInt64(truncatingIfNeeded: 8 &* i)
        i &+= 1
    }
    return value
}

/// Stores the `distance` bytes of a pixel at `offset`, as far as they lie in `0..<count`.
@inline(__always)
private func storeEdge(
    _ value: UInt64, _ row: UnsafeMutablePointer<UInt8>, _ offset: Int, _ count: Int, _ distance: Int
) {
    guard offset >= 0 else { return }
    var i = 0
    // SAFETY: 0 <= offset + i < count.
    while i < distance && offset &+ i < count {
        unsafe row[offset &+ i] = UInt8(truncatingIfNeeded: value &>> UInt64(truncatingIfNeeded: 8 &* i))
        i &+= 1
    }
}

// MARK: - Predictors

@inline(__always)
private func mask(_ comparison: SIMDMask<SIMD16<Int8>>) -> Bytes {
    unsafe unsafeBitCast(comparison, to: Bytes.self)
}

/// `a - b`, or zero if that is negative (psubusb).
@inline(__always)
private func excess(_ a: Bytes, _ b: Bytes) -> Bytes { (a &- b) & mask(b .< a) }

/// The larger of both (pmaxub).
@inline(__always)
private func larger(_ a: Bytes, _ b: Bytes) -> Bytes { excess(a, b) &+ b }

/// The smaller of both (pminub).
@inline(__always)
private func smaller(_ a: Bytes, _ b: Bytes) -> Bytes { a.replacing(with: b, where: b .< a) }

/// The mean, rounded down.
@inline(__always)
private func averageOf(_ a: Bytes, _ b: Bytes) -> Bytes { (a & b) &+ ((a ^ b) &>> Bytes(repeating: 1)) }

/// The Paeth predictor plus `x`, within bytes.
///
/// With low and high the smaller and the larger of a and b, high is nearest to a + b - c if 3c - a - b <= low, that is
/// 2 (c - low) <= high - c; low if 2 (high - c) <= c - low; c in between. In terms of how far c is above low (u) and
/// below high (v), either of them 0 if it is not: u <= v - u and v <= u - v, with differences that stop at zero. If
/// both hold, a equals b. Ties fall as the standard wants them.
///
/// A chain of eight instructions from `a` to the sum: u and v are the larger of what they would be with a and with b
/// alone, of which the latter is known beforehand, and `x` is added before the choice.
@inline(__always)
private func paethSum(_ a: Bytes, _ b: Bytes, _ c: Bytes, _ x: Bytes) -> Bytes {
    let u = larger(excess(c, a), excess(c, b))
    let v = larger(excess(a, c), excess(b, c))
    let isHigh = mask(u .<= excess(v, u))
    let isLow = mask(v .<= excess(u, v))
    let high = (larger(a, b) &+ x) & isHigh
    let low = (smaller(a, b) &+ x) & isLow
    return high | low | ((c &+ x) & ~(isHigh | isLow))
}

/// Each lane's own predictor, plus `x`.
@inline(__always)
private func mixedSum(_ a: Bytes, _ b: Bytes, _ c: Bytes, _ x: Bytes, _ masks: WaveMasks) -> Bytes {
    let plain = (averageOf(a, b) & masks.average) | (a & masks.sub) | (b & masks.up)
    return (paethSum(a, b, c, x) & masks.paeth) | ((plain &+ x) & ~masks.paeth)
}
#endif
