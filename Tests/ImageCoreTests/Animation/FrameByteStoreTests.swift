import CodecTestSupport
import Testing

@testable import ImageCodecsCore

/// The bytes of frames that came in pieces: the same afterwards, in little more memory than they have.
@Suite struct FrameByteStoreTests {
    private func collected(_ bytes: [UInt8], _ meter: MemoryMeter) throws -> ByteCollector {
        var collected = ByteCollector(meter: meter)
        for start in stride(from: 0, to: bytes.count, by: 1000) {
            let piece = Array(bytes[start..<min(start + 1000, bytes.count)])
            try collected.append(piece.span, work: .unlimited)
        }
        return collected
    }

    private func kept(
        _ bytes: [UInt8], at offset: Int, in store: inout FrameByteStore, _ meter: MemoryMeter
    ) throws -> FrameBytes {
        var collected = try collected(bytes, meter)
        return try store.keep(&collected, offset: offset)
    }

    private func bytes(of frame: FrameBytes, in store: FrameByteStore) throws -> (bytes: [UInt8], offset: Int) {
        var result = ([UInt8](), -1)
        try store.withBytes(of: frame) { (bytes, offset) throws(ImageError) in
            result = ((0..<bytes.count).map { bytes[$0] }, offset)
        }
        return result
    }

    @Test func framesOfAllSizesComeBackAndTakeLittleMoreThanTheyHave() throws {
        for most in [1, 40, 3000, FrameByteStore.smallByteCount + 1, 40_000] {
            let meter = MemoryMeter()
            var random = SeededRandom(seed: UInt64(most))
            var store = FrameByteStore(meter: meter)
            var frames: [(place: FrameBytes, bytes: [UInt8])] = []
            var (snapshot, total, largest) = (store, 0, 0)
            for number in 0..<200 {
                let count = number % 7 == 0 ? most : Int(random.next() % UInt64(most + 1))
                let bytes = random.bytes(count)
                if number % 10 == 0 { snapshot = store }
                frames.append((try kept(bytes, at: number, in: &store, meter), bytes))
                (total, largest) = (total + count, max(largest, count))
            }
            for (number, frame) in frames.enumerated() {
                let found = try bytes(of: frame.place, in: store)
                #expect(found.bytes == frame.bytes && found.offset == number)
                if number < 190 { #expect(try bytes(of: frame.place, in: snapshot).bytes == frame.bytes) }
            }
            // While a frame comes, half as much again; a page that is not full, and its copy in a snapshot.
            let pages = 3 * FrameByteStore.pageByteCount + total / 7
            #expect(meter.peak <= total + largest / 2 + pages + 4096, "\(most)")
        }
    }

    @Test func aFrameWithoutBytesTakesNothing() throws {
        let meter = MemoryMeter()
        var store = FrameByteStore(meter: meter)
        let place = try kept([], at: 7, in: &store, meter)
        #expect(meter.peak == 0)
        let found = try bytes(of: place, in: store)
        #expect(found.bytes.isEmpty && found.offset == 7)
    }

    @Test func copiesGoOnByThemselves() throws {
        let meter = MemoryMeter()
        var first = FrameByteStore(meter: meter)
        let common = try kept([1, 2, 3], at: 0, in: &first, meter)
        var second = first
        let one = try kept([4, 5], at: 3, in: &first, meter)
        let other = try kept([6, 7], at: 3, in: &second, meter)
        #expect(try bytes(of: common, in: first).bytes == [1, 2, 3])
        #expect(try bytes(of: common, in: second).bytes == [1, 2, 3])
        #expect(try bytes(of: one, in: first).bytes == [4, 5])
        #expect(try bytes(of: other, in: second).bytes == [6, 7])
    }

    @Test func aFileInMemoryIsReadWhereItIs() throws {
        var store = FrameByteStore(meter: MemoryMeter())
        store.data = ImageData([0, 0, 9, 8, 7, 0])
        let found = try bytes(of: .file(2..<5), in: store)
        #expect(found.bytes == [9, 8, 7] && found.offset == 2)
    }
}
