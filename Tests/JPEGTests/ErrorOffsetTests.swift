import CodecTestSupport
import ImageCodecsCore
import JPEGBaselineCodec
import JPEGCodec
import Testing

/// What an error of a damaged file says, its byte offset included, does not depend on how the file is read.
@Suite struct ErrorOffsetTests {
    private static let files = ["landscape-420.jpg", "landscape-gray-restart.jpg", "landscape-progressive.jpg"]

    /// The error of a strict decode, in one shot or in pieces; `nil` if there is none.
    private func error(_ file: [UInt8], inPiecesOf pieceSize: Int? = nil, threads: Int = 1) -> ImageError? {
        var options = DecodingOptions()
        options.limits = .untrusted
        options.maxThreadCount = threads
        do throws(ImageError) {
            if let pieceSize {
                _ = try JPEGCoder().decode(file, inPiecesOf: pieceSize, options: options)
            } else {
                _ = try JPEGCoder().decode(ImageData(file), options: options)
            }
            return nil
        } catch {
            return error
        }
    }

    /// Expects the same error however `file` is read, and returns it.
    private func expectOneError(_ file: [UInt8], _ name: String) -> ImageError? {
        let whole = error(file)
        for pieceSize in [1, 2, 7, 61, 1000] {
            #expect(error(file, inPiecesOf: pieceSize) == whole, "\(name), pieces of \(pieceSize)")
        }
        SecondThread.isForAll.withValue(true) {
            #expect(error(file, threads: 2) == whole, "\(name), two threads")
            #expect(error(file, inPiecesOf: 61, threads: 2) == whole, "\(name), two threads, pieces of 61")
        }
        return whole
    }

    /// Changes one place of a file: a bit, a byte, bytes left out, or 0xFF put in as data, fill or the start of a marker.
    private func damage(_ file: [UInt8], at place: Int, using random: inout SeededRandom) -> [UInt8] {
        var damaged = file
        switch Int.random(in: 0..<5, using: &random) {
        case 0: damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: damaged[place] = random.bytes(1)[0]
        case 2: damaged.removeSubrange(place..<min(place + 5, file.count))
        case 3: damaged.insert(contentsOf: [0xFF, 0xFF, 0, 0xFF, 0, 0, 0xFF, 0], at: place)
        default: damaged.insert(contentsOf: Array(repeating: 0xFF, count: [1, 2, 9, 257][place % 4]), at: place)
        }
        return damaged
    }

    @Test(arguments: files)
    func cutsDoNotMatter(_ name: String) throws {
        let file = try FixtureBytes.read("jpeg/" + name)
        var random = SeededRandom(seed: UInt64(file.count))
        var codes: Set<DamageCode> = []
        for round in 0..<200 {
            let place = Int.random(in: 2..<file.count, using: &random)
            let damaged = damage(file, at: place, using: &random)
            let error = expectOneError(damaged, "\(name), damage \(round) at \(place)")
            if case .corrupt(_, let code, _, _) = error { codes.insert(code) }
        }
        #expect(codes.contains(.jpegCodedDataInvalid) || codes.contains(.jpegCodedDataShort))
    }

    /// Two gray blocks, the codes of which are one zero bit: no difference, the end of the block.
    private func file(data: [UInt8]) -> [UInt8] {
        let table: [UInt8] = [1] + Array(repeating: 0, count: 15) + [0]
        var file: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0] + Array(repeating: 1, count: 64)
        file += [0xFF, 0xC0, 0, 11, 8, 0, 8, 0, 16, 1, 1, 0x11, 0]
        file += [0xFF, 0xC4, 0, 20, 0x00] + table + [0xFF, 0xC4, 0, 20, 0x10] + table
        return file + [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0] + data + [0xFF, 0xD9]
    }

    /// The second block begins with an invalid code, which counts as 17 bits and as no difference. If the end of the block
    /// follows, the first bit that is not used is bit 20; after another invalid code it is bit 36.
    @Test(
        arguments: [
            // Data, and where the byte of data that holds this bit begins.
            ([0x3F, 0xFE, 0x02, 0, 0, 0, 0, 0, 0, 0, 0], 2),
            ([0x3F, 0xFF, 0, 0x02, 0, 0, 0, 0, 0, 0, 0], 3),
            ([0x3F, 0xFF, 0, 0x02], 3),
            ([0x3F, 0xFF, 0xFF, 0, 0xFF, 0xFF, 0, 0, 0, 0, 0], 8),
            ([0x3F, 0xFF, 0, 0xFF, 0, 0, 0xFF, 0xFF, 0, 0, 0], 6),
        ] as [([UInt8], Int)])
    func theOffsetIsThatOfTheFirstBitNotUsed(_ data: [UInt8], _ index: Int) {
        let file = file(data: data)
        let error = expectOneError(file, "\(data)")
        let start = file.count - 2 - data.count
        guard case .corrupt(_, .jpegCodedDataInvalid, start + index, _) = error else {
            Issue.record("\(String(describing: error)) for \(data), which begin at \(start)")
            return
        }
    }
}
