// Memory that is worked in while the images of a bitstream are decoded: they come one after the other, so it is theirs in turn.
//
//   places    near distances, and after them the color cache
//   packed    a table of whole pixels, before it is known whether it pays
//   codes     where tables are built; while lengths are read, the table of the code that they are coded with
//   lengths   a length, 0...15, for each symbol of the largest alphabet

import ImageCodecsCore

/// Working memory; nothing in it is cleared but what has to be.
struct VP8LWorkspace: Sendable {
    private var memory: ScratchBuffer
    /// Lengths after these are 0. A group may take twenty bits, so what it costs must not depend on the alphabet.
    var writtenCount = 0

    // Multiples of eight all.
    private static let packedStart = 4 * PixelKernel.workspaceCount
    private static let codeStart = packedStart + 8 * PackedTableKernel.largestEntryCount
    private static let lengthStart = codeStart + 2 * PrefixTableKernel.workspaceCount
    /// Bytes of it.
    static let byteCount = lengthStart + PrefixAlphabet.largest

    init(meter: MemoryMeter?) throws(ImageError) {
        memory = try ScratchBuffer(byteCount: Self.byteCount, meter: meter)
        memory.fill(Self.lengthStart..<Self.byteCount, with: 0)
    }

    mutating func makeUnique() throws(ImageError) { try memory.makeUnique() }

    /// Sets every length to 0.
    mutating func clearLengths() {
        memory.fill(Self.lengthStart..<Self.lengthStart + writtenCount, with: 0)
        writtenCount = 0
    }

    /// The lengths, and the numbers that tables are built of.
    mutating func withLengths<R>(
        _ body: (_ lengths: inout MutableSpan<UInt8>, _ codes: inout MutableSpan<UInt16>) -> R
    ) -> R {
        memory.withMutableBytes(Self.codeStart..<Self.byteCount) { bytes in
            bytes.withSplit(at: Self.lengthStart - Self.codeStart) { codes, lengths in
                codes.withNumbers(of: UInt16.self) { codes in
                    lengths.withNumbers(of: UInt8.self) { lengths in body(&lengths, &codes) }
                }
            }
        }
    }

    /// The bytes of the first `entryCount` entries of the table that was built.
    func withTable<R>(entryCount: Int, _ body: (RawSpan) -> R) -> R {
        let start = Self.codeStart + 2 * PrefixTableKernel.tableStart
        return memory.withBytes(start..<start + 2 * entryCount, body)
    }

    /// The table of whole pixels.
    mutating func withPacked<R>(_ body: (inout MutableSpan<UInt64>) -> R) -> R {
        memory.withMutableBytes(Self.packedStart..<Self.codeStart) { bytes in
            bytes.withNumbers(of: UInt64.self, body)
        }
    }

    /// The bytes of its first `entryCount` entries.
    func withPackedBytes<R>(entryCount: Int, _ body: (RawSpan) -> R) -> R {
        memory.withBytes(Self.packedStart..<Self.packedStart + 8 * entryCount, body)
    }

    /// Near distances and color cache.
    mutating func withPlaces<R>(_ body: (inout MutableSpan<UInt32>) -> R) -> R {
        memory.withMutableBytes(0..<Self.packedStart) { bytes in bytes.withNumbers(of: UInt32.self, body) }
    }

    /// Makes the near distances those of an image, and clears the color cache.
    ///
    /// - Parameters:
    ///   - width: of the image.
    ///   - cacheBits: 0 if there is no cache.
    mutating func beginPixels(width: Int, cacheBits: Int) {
        withPlaces { BackwardReferences.fill(&$0, width: width) }
        guard cacheBits > 0 else { return }
        let start = 4 * PixelKernel.cacheStart
        memory.fill(start..<start + 4 << cacheBits, with: 0)
    }
}
