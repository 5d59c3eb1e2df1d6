// AlignedStorage: where blocks begin, and that each has its bytes to itself.

import CodecTestSupport
import ImageCodecsCore
import Testing

@Suite struct AlignedStorageTests {
    /// Below and above the sizes from which allocators and this type treat blocks differently.
    private static let sizes = [0, 1, 63, 64, 65, 4096, 200_000, (4 << 20) - 1, 4 << 20, 5_000_001, 34 << 20]

    @Test(arguments: sizes)
    func blocksBeginAtMultiplesOfTheAlignment(byteCount: Int) throws {
        for _ in 0..<3 {
            let block = try AlignedStorage(byteCount: byteCount, meter: nil)
            let address = block.withBytes(0..<byteCount) { bytes in
                // SAFETY: only the address is looked at.
                unsafe bytes.withUnsafeBytes { Int(bitPattern: $0.baseAddress) }
            }
            #expect(block.byteCount == byteCount && address % AlignedStorage.alignment == 0)
        }
    }

    @Test func blocksShareNoBytes() throws {
        var blocks: [AlignedStorage] = []
        for (value, byteCount) in zip(UInt8(0)..., Self.sizes) {
            let block = try AlignedStorage(byteCount: byteCount, meter: nil)
            block.fill(0..<byteCount, with: value)
            blocks.append(block)
        }
        for (value, block) in zip(UInt8(0)..., blocks) {
            #expect(block.withBytes(0..<block.byteCount) { $0.isFilled(with: value) }, "\(block.byteCount) bytes")
        }
    }
}
