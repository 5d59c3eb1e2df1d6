import CodecTestSupport
import ImageCodecsCore
import ImagePhotoMetadata
import JPEGCodec
import Testing

/// Pictures that follow the first one in a JPEG file, and the index of them.
@Suite struct MultiPictureIndexTests {
    private static let second: [UInt8] = [0xFF, 0xD8] + Array("second picture".utf8) + [0xFF, 0xD9]

    private static func numbers(_ values: [UInt32], isBig: Bool) -> [UInt8] {
        values.flatMap { value in
            let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
            return isBig ? bytes : bytes.reversed()
        }
    }

    /// An MPF segment of two pictures; `offset` counts from its byte order mark.
    private static func index(firstByteCount: Int, offset: Int, isBig: Bool) -> [UInt8] {
        let short = { (value: UInt8) -> [UInt8] in isBig ? [0, value] : [value, 0] }
        let tag: [UInt8] = isBig ? [0xB0, 2] : [2, 0xB0]
        var tiff: [UInt8] = Array((isBig ? "MM" : "II").utf8) + short(42) + numbers([8], isBig: isBig)
        tiff += short(1) + tag + short(7) + numbers([32, 26, 0], isBig: isBig)
        tiff += numbers([0x0300_0000, UInt32(firstByteCount), 0, 0], isBig: isBig)
        tiff += numbers([0, UInt32(second.count), UInt32(offset), 0], isBig: isBig)
        return [0xFF, 0xE2, 0, UInt8(tiff.count + 6)] + Array("MPF\0".utf8) + tiff
    }

    /// A file whose index is after its first segment, and what follows the second picture.
    private static func file(isBig: Bool, rest: [UInt8] = []) throws -> [UInt8] {
        let plain = try FixtureBytes.read("jpeg/landscape-420.jpg")
        let place = 4 + Int(plain[4]) << 8 + Int(plain[5])
        let byteCount = plain.count + index(firstByteCount: 0, offset: 0, isBig: isBig).count
        let index = index(firstByteCount: byteCount, offset: byteCount - place - 8, isBig: isBig)
        return plain[..<place] + index + plain[place...] + second + rest
    }

    /// Length of the first picture and place of the second, as the index says.
    private func stated(_ file: [UInt8], isBig: Bool) throws -> (first: Int, second: Int) {
        let start =
            try #require(
                file.indices.first { file[$0...].starts(with: Array("MPF\0".utf8)) }) + 4
        func number(_ place: Int) -> Int {
            let bytes = file[start + place..<start + place + 4]
            return (isBig ? Array(bytes) : bytes.reversed()).reduce(0) { $0 << 8 | Int($1) }
        }
        return (number(30), start + number(50))
    }

    @Test(arguments: [true, false]) func theIndexOfAnOptimizedFileIsRight(_ isBig: Bool) throws {
        let file = try Self.file(isBig: isBig)
        let bytes = try JPEGCoder().optimized(ImageData(file)).withBytes { Array($0) }
        let after = try stated(bytes, isBig: isBig)
        #expect(bytes.count < file.count && after.first == after.second)
        #expect(bytes[after.second...].elementsEqual(Self.second))
        // A picture that was turned has no second one.
        var turn = JPEGTransformation(orientation: .right)
        turn.edges = .keep
        let turned = try JPEGCoder().transformed(ImageData(file), by: turn).withBytes { Array($0) }
        #expect(try JPEGCoder().inspect(ImageData(turned), options: .default).metadata.furtherPictures == nil)
        #expect(turned.suffix(Self.second.count) != Self.second[...])
    }

    @Test(arguments: [true, false]) func theIndexFollowsTheSecondPicture(_ isBig: Bool) throws {
        let file = try Self.file(isBig: isBig)
        let before = try stated(file, isBig: isBig)
        #expect(before.first == before.second && file[before.second...].elementsEqual(Self.second))
        for comment in [String(repeating: "long ", count: 100), "short"] {
            let changed = try JPEGCoder().replacingMetadata(
                of: ImageData(file), with: changing(file) { $0.comments = [comment] })
            let bytes = changed.withBytes { Array($0) }
            let after = try stated(bytes, isBig: isBig)
            #expect(bytes.count != file.count && after.first == after.second)
            #expect(bytes[after.second...].elementsEqual(Self.second))
        }
        // Shorter than before, with what stands before the index gone.
        let profiled = try JPEGCoder().replacingMetadata(
            of: ImageData(file), with: changing(file) { $0.exif = ExifBlock.bytes(nil, orientation: .left) })
        let bytes = profiled.withBytes { Array($0) }
        let less = try JPEGCoder().replacingMetadata(
            of: profiled, with: changing(bytes) { ($0.exif, $0.orientation) = (nil, .up) })
        #expect(less.withBytes { Array($0) } == file)
    }

    private func changing(_ file: [UInt8], _ change: (inout ImageMetadata) -> Void) throws -> ImageMetadata {
        var metadata = try JPEGCoder().inspect(ImageData(file), options: .default).metadata
        #expect(metadata.furtherPictures != nil)
        change(&metadata)
        if metadata.exif != nil { metadata.orientation = .left }
        return metadata
    }

    @Test(arguments: [true, false]) func withoutTheIndexThePicturesGo(_ isBig: Bool) throws {
        for rest in [[], Array("film".utf8)] {
            let file = try Self.file(isBig: isBig, rest: rest)
            let clean = try JPEGCoder().replacingMetadata(
                of: ImageData(file), with: changing(file) { $0.furtherPictures = nil })
            #expect(try clean.withBytes { Array($0) } == FixtureBytes.read("jpeg/landscape-420.jpg") + rest)
        }
    }

    /// Numbers that lead out of the file, into the first picture or to the largest place there is.
    @Test func anIndexThatLiesChangesNothingElse() throws {
        let plain = try FixtureBytes.read("jpeg/landscape-420.jpg")
        for offset in [1, 300, 1 << 31, Int(UInt32.max)] {
            for first in [0, 7, Int(UInt32.max)] {
                let index = Self.index(firstByteCount: first, offset: offset, isBig: true)
                let file = plain[..<2] + index + plain[2...] + Self.second
                let gone = try JPEGCoder().replacingMetadata(
                    of: ImageData(Array(file)), with: changing(Array(file)) { $0.furtherPictures = nil })
                #expect(gone.withBytes { Array($0) }.starts(with: plain))
                _ = try JPEGCoder().replacingMetadata(
                    of: ImageData(Array(file)), with: changing(Array(file)) { $0.comments = ["more"] })
            }
        }
    }
}
