// The frames of a file: where their bytes are, how they lie on the canvas, and how one is shown.
//
//   show    = prepare + draw
//   prepare = dispose of the frame shown, draw those that come before
//   draw    = a painter of the canvas, decode into it, finish

/// The frames of a file as far as it was read. A value: a copy is a snapshot.
package struct FrameList: Sendable {
    private struct Record: Sendable {
        let frame: any CodedFrame
        let bytes: FrameBytes
    }

    /// How the frames lie on the canvas.
    package private(set) var plan: CompositionPlan
    private var records = PagedArray<Record>()
    private var store: FrameByteStore
    /// Frames that are missing or not whole, in the order of the file.
    private var damaged = PagedArray<FrameDamage>()
    private let meter: MemoryMeter

    /// What a record holds besides itself: the head of a block.
    private static var recordByteCount: Int { 32 }
    /// What an error holds besides itself: its text.
    private static var damageByteCount: Int { 128 }

    package init(canvasSize: PixelSize, meter: MemoryMeter) {
        plan = CompositionPlan(canvasSize: canvasSize)
        store = FrameByteStore(meter: meter)
        self.meter = meter
    }

    /// The size of the canvas is known; no frame came before.
    mutating func beginCanvas(_ size: PixelSize) { plan = CompositionPlan(canvasSize: size) }

    /// Whether the size of the canvas is known.
    var hasCanvas: Bool { !plan.canvasSize.isEmpty }

    /// The same frames, read from a file in memory.
    package func reading(_ data: ImageData?) -> FrameList {
        var list = self
        list.store.data = data
        return list
    }

    /// Frames.
    package var count: Int { plan.count }

    /// Adds a frame.
    ///
    /// - Parameters:
    ///   - planned: the frame as the plan's ``CompositionPlan/planned(_:)`` made it.
    ///   - frame: how it is coded.
    ///   - bytes: where its bytes are.
    /// - Returns: the frame as it was added.
    package mutating func append(
        _ planned: CompositionPlan.Frame, _ frame: any CodedFrame, bytes: FrameBytes
    ) throws(ImageError) -> CompositionPlan.Frame {
        try records.append(
            Record(frame: frame, bytes: bytes), elementByteCount: Self.recordByteCount + frame.heldByteCount,
            meter: meter)
        return try plan.append(planned, meter: meter)
    }

    /// Keeps the bytes of a frame of a file that comes in pieces and cannot be read again; empties `bytes`.
    ///
    /// - Parameter offset: where the first of them stood in the file.
    mutating func keep(_ bytes: inout ByteCollector, offset: Int) throws(ImageError) -> FrameBytes {
        try store.keep(&bytes, offset: offset)
    }

    /// Records that a frame is missing or not whole, after those before it.
    mutating func append(_ damage: FrameDamage) throws(ImageError) {
        try damaged.append(damage, elementByteCount: Self.damageByteCount, meter: meter)
    }

    /// Frames that are missing or not whole, in the order of the file.
    var damages: [FrameDamage] { (0..<damaged.count).map { damaged[$0] } }

    /// The damage of a frame that was found when the file was read.
    package func damage(ofFrame index: Int) -> ImageError? {
        // Binary search for the last record up to the frame. Frames missing before it have its index too.
        var range = 0..<damaged.count
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            range = damaged[middle].index <= index ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        guard let last = range.lowerBound > 0 ? damaged[range.lowerBound - 1] : nil else { return nil }
        return last.index == index && !last.isMissing ? last.cause : nil
    }

    /// The damage of frame `index` that comes first in the file.
    ///
    /// - Parameter rows: what is wrong with its rows. If they end with the frame's bytes, the container says why those end.
    func damage(ofFrame index: Int, rows: ImageError?) -> ImageError? {
        guard let container = damage(ofFrame: index), let rows else { return damage(ofFrame: index) ?? rows }
        switch records[index].bytes {
        case .file(let range):
            return rows.offset ?? .max >= range.upperBound ? container : ImageError.earlier(container, rows)
        case .paged, .kept:
            // The rows were decoded when they came, and what was wrong with them is in the record.
            return container
        }
    }

    /// How the rows of frame `index` come.
    package func rows(of index: Int) -> SubFrameRows { records[index].frame.rows }

    /// Decodes frame `index`, row by row.
    ///
    /// - Returns: what is wrong with the frame although every row came.
    /// - Throws: what ends the rows early; those before it were handed out.
    package func decode(
        _ index: Int, into rows: inout FramePainter, work: inout WorkGuard
    ) throws(ImageError) -> ImageError? {
        try work.beginFrame(index, plan[index].visible)
        let record = records[index]
        return try store.withBytes(of: record.bytes) { (bytes, offset) throws(ImageError) in
            try record.frame.decode(
                bytes, offset: offset, areKept: record.bytes.isKept, into: &rows, meter: meter, work: &work)
        }
    }
}

extension FrameList {
    /// Draws frame `index` on a canvas that is prepared for it.
    ///
    /// - Parameters:
    ///   - isShown: whether it is the frame that the canvas is to show.
    ///   - toleratesDamage: whether a frame that ends early is drawn as far as it goes.
    func draw(
        _ index: Int, isShown: Bool, toleratesDamage: Bool, on canvas: inout AnimationCanvas, work: inout WorkGuard
    ) throws(ImageError) {
        var painter = try canvas.painter(plan[index], rows(of: index))
        let (damage, isWhole) = try decodeTolerating(
            index, into: &painter, toleratesDamage: toleratesDamage, work: &work)
        try painter.finish(isWhole: isWhole, work: &work)
        canvas.finish(painter, plan[index], at: index, isShown: isShown, damage: damage)
    }

    /// Decodes frame `index` as far as it goes.
    ///
    /// - Parameter toleratesDamage: whether what is wrong with it is returned; otherwise it is thrown.
    /// - Returns: what is wrong with it, and whether every row came.
    func decodeTolerating(
        _ index: Int, into rows: inout FramePainter, toleratesDamage: Bool, work: inout WorkGuard
    ) throws(ImageError) -> (damage: ImageError?, isWhole: Bool) {
        do throws(ImageError) {
            return (damage(ofFrame: index, rows: try decode(index, into: &rows, work: &work)), true)
        } catch {
            guard error.isDamage else { throw error }
            let damage = damage(ofFrame: index, rows: error)
            guard toleratesDamage else { throw damage ?? error }
            return (damage, false)
        }
    }

    /// Composes what lies below `frame`, the one at `index`, on a canvas, so that this frame can be drawn next.
    ///
    /// - Parameter isIncremental: whether the frame is looked at while it is drawn.
    /// - Returns: whether the canvas was emptied.
    @discardableResult
    func prepare(
        _ frame: CompositionPlan.Frame, at index: Int, toleratesDamage: Bool, isIncremental: Bool = false,
        on canvas: inout AnimationCanvas, work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        try canvas.prepare(
            for: frame, at: index, of: plan, mayBePartial: toleratesDamage || isIncremental, work: &work
        ) { (earlier, canvas, work) throws(ImageError) in
            try draw(earlier, isShown: false, toleratesDamage: toleratesDamage, on: &canvas, work: &work)
        }
    }

    /// Shows frame `index` on a canvas.
    func show(
        _ index: Int, toleratesDamage: Bool, on canvas: inout AnimationCanvas, work: inout WorkGuard
    ) throws(ImageError) {
        try prepare(plan[index], at: index, toleratesDamage: toleratesDamage, on: &canvas, work: &work)
        try draw(index, isShown: true, toleratesDamage: toleratesDamage, on: &canvas, work: &work)
    }
}
