// Reads the container one step at a time; the decoder, inspections and listings use it and see the same blocks.

package import ImageCodecsCore

/// Reads the blocks of a GIF file while its bytes come.
///
///     screen ─▶ global table ─▶ ┬─ extension ─▶ sub-blocks ... ─▶ end of block ─┐
///                               ├─ image ─────▶ sub-blocks ... ─▶ end of block ─┤
///                               ├─ trailer                                      │
///                               └───────────────────────────────────────────────┘
///
/// A plain value that holds no bytes: a copy is a checkpoint. Sub-blocks are handed out whole, as many at a time as there
/// are; all other syntax elements are all or nothing.
///
/// Source: GIF89a section 12 "Blocks, Extensions and Scope", Appendix B "GIF Grammar".
package struct BlockReader: Hashable, Sendable {
    /// An image: descriptor, local color table and minimum code size in one.
    package struct Image: Hashable, Sendable {
        package let descriptor: ImageDescriptor
        /// Where the local color table lies in the span it was read from; empty if there is none.
        package let localTable: Range<Int>
        package let minimumCodeSize: Int
        /// Whether there are no data at all: the terminator comes at once.
        package let isEmpty: Bool
        /// Where the image separator stands in the file.
        package let offset: Int
        /// Where the first sub-block does.
        package let dataOffset: Int
    }

    /// What was read. Ranges are those of the span it was read from.
    package enum Step: Hashable, Sendable {
        case screen(LogicalScreen)
        case globalTable(Range<Int>)
        /// An extension of this label begins, at this offset; sub-blocks follow.
        case begins(label: UInt8, offset: Int)
        /// An image begins; sub-blocks follow.
        case image(Image)
        /// One or more whole sub-blocks, each with its length in front.
        case subBlocks(Range<Int>)
        /// The terminator after the sub-blocks.
        case ends(offset: Int)
        /// The trailer, at this offset.
        case trailer(offset: Int)
    }

    private enum State: Hashable, Sendable {
        case signature
        case globalTable(count: Int)
        case block
        case subBlocks
        case done
    }

    private var state = State.signature

    /// No more bytes of sub-blocks than this at a time, so that the clock is asked.
    package static let largestRun = 1 << 14

    /// The most bytes of a run: its last sub-block may go beyond that.
    static let mostRunByteCount = largestRun + 256

    static let extensionIntroducer: UInt8 = 0x21
    static let imageSeparator: UInt8 = 0x2C
    static let trailerByte: UInt8 = 0x3B

    package init() {}

    /// A reader of the sub-blocks of an image.
    static var inSubBlocks: BlockReader {
        var reader = BlockReader()
        reader.state = .subBlocks
        return reader
    }

    /// Whether the next byte begins a block: where a file may end if it has no trailer.
    package var isBetweenBlocks: Bool { state == .block }

    /// The bytes of a sub-block that the input ends in, in place of the sub-block: none if there are none, or no sub-block comes next.
    ///
    /// - Parameter rest: what is left of the input.
    func cutSubBlock(_ rest: Span<UInt8>) -> [UInt8] {
        guard state == .subBlocks, rest.count > 1, Int(rest[0]) >= rest.count else { return [] }
        // At most 255 bytes.
        return [UInt8(truncatingIfNeeded: rest.count - 1)] + (1..<rest.count).map { rest[$0] }
    }

    /// Reads up to the next step; `nil` means that more input is needed.
    ///
    /// - Parameters:
    ///   - bytes: holds the unread bytes.
    ///   - position: where they begin; moved after what is read.
    ///   - offset: where `bytes` begin in the file.
    ///   - work: asked for every step.
    /// - Throws: `unknownFormat` for another signature; `corrupt` for what cannot be a block.
    package mutating func next(
        in bytes: Span<UInt8>, from position: inout Int, offset: Int, work: inout WorkGuard
    ) throws(ImageError) -> Step? {
        try work.spend(8)
        while true {
            let rest = bytes.extracting(droppingFirst: position)
            switch state {
            case .signature: return try readScreen(rest, &position)
            case .globalTable(let count):
                let byteCount = ColorTable.byteCount(count)
                guard rest.count >= byteCount else { return nil }
                position += byteCount
                state = .block
                if count > 0 { return .globalTable(position - byteCount..<position) }
            case .block:
                // Terminators too many stand between the blocks of some files, and mean nothing.
                let zeros = Self.leadingZeros(rest)
                position += zeros
                try work.spend(zeros)
                if zeros > 0 { continue }
                return try readBlock(rest, &position, offset: offset)
            case .subBlocks:
                let start = position
                let step = readSubBlocks(rest, &position, offset: offset)
                // Whoever takes them looks at each, and each may be of one byte.
                try work.spend(position - start)
                return step
            case .done: return nil
            }
        }
    }

    private static func leadingZeros(_ bytes: Span<UInt8>) -> Int {
        var count = 0
        while count < bytes.count, count < largestRun, bytes[count] == 0 { count += 1 }
        return count
    }

    private mutating func readScreen(_ bytes: Span<UInt8>, _ position: inout Int) throws(ImageError) -> Step? {
        guard FormatSignature.gif.contains(where: { $0.match(bytes) != .none }) else { throw .unknownFormat }
        guard bytes.count >= LogicalScreen.byteCount else { return nil }
        let screen = LogicalScreen(bytes)
        position += LogicalScreen.byteCount
        state = .globalTable(count: screen.globalTableCount)
        return .screen(screen)
    }

    private mutating func readBlock(
        _ bytes: Span<UInt8>, _ position: inout Int, offset: Int
    ) throws(ImageError) -> Step? {
        guard bytes.count > 0 else { return nil }
        let start = position
        switch bytes[0] {
        case Self.extensionIntroducer:
            guard bytes.count >= 2 else { return nil }
            position += 2
            state = .subBlocks
            return .begins(label: bytes[1], offset: offset + start)
        case Self.imageSeparator:
            guard bytes.count >= ImageDescriptor.byteCount else { return nil }
            let descriptor = ImageDescriptor(bytes)
            let tableByteCount = ColorTable.byteCount(descriptor.localTableCount)
            let table = start + ImageDescriptor.byteCount..<start + ImageDescriptor.byteCount + tableByteCount
            // With minimum code size and the length of the first sub-block, which is only looked at.
            let codeSize = ImageDescriptor.byteCount + tableByteCount
            guard bytes.count > codeSize + 1 else { return nil }
            position = table.upperBound + 1
            state = .subBlocks
            return .image(
                Image(
                    descriptor: descriptor, localTable: table,
                    minimumCodeSize: Int(bytes[codeSize]), isEmpty: bytes[codeSize + 1] == 0, offset: offset + start,
                    dataOffset: offset + position))
        case Self.trailerByte:
            position += 1
            state = .done
            return .trailer(offset: offset + start)
        default:
            throw .corrupt(
                .gif, .gifBlockUnknown, offset: offset + start,
                reason: "a block that begins with 0x\(String(bytes[0], radix: 16))")
        }
    }

    /// As many whole sub-blocks as there are, or the terminator.
    private mutating func readSubBlocks(_ bytes: Span<UInt8>, _ position: inout Int, offset: Int) -> Step? {
        var end = 0
        while end < bytes.count, end < Self.largestRun, bytes[end] > 0, end + Int(bytes[end]) < bytes.count {
            end += 1 + Int(bytes[end])
        }
        if end > 0 {
            position += end
            return .subBlocks(position - end..<position)
        }
        guard bytes.count > 0, bytes[0] == 0 else { return nil }
        position += 1
        state = .block
        return .ends(offset: offset + position - 1)
    }
}
