// A process for tests of the disk cache: writes and reads entries until it is killed, or for a while.
//
//   cache-writer FOLDER LIMIT SEED [SECONDS]
//
// Prints "ready" before the first entry, and ends with status 1 if it ever reads an entry that nobody wrote.

import ImageCaching
import ImageCodecsCore

@main
enum CacheWriter {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 4, let limit = Int(arguments[2]), let seed = UInt64(arguments[3]) else {
            return print("usage: cache-writer FOLDER LIMIT SEED [SECONDS]")
        }
        let end = ContinuousClock.now + .seconds(arguments.count > 4 ? Double(arguments[4]) ?? 60 : 60)
        let cache = try DiskCache(path: arguments[1], byteCount: limit)
        print("ready")
        try FileDescriptor.standardError.write(Array("ready\n".utf8).span)
        var random = seed
        while ContinuousClock.now < end {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let number = Int(random >> 33 % 200)
            let key = CacheKey(source: "picture \(number)")
            if let entry = cache.entry(for: key), !isRight(entry, number) { throw ImageError.unknownFormat }
            // Bytes all alike, whose value is that of the key, so that parts of two entries in one file are found out.
            let count = Int(random >> 40 % 60_000)
            let bytes = [UInt8](repeating: UInt8(number), count: count)
            try cache.insert(DiskEntry(bytes: ImageData(bytes), attributes: ["number": "\(number)"]), for: key)
        }
    }

    private static func isRight(_ entry: DiskEntry, _ number: Int) -> Bool {
        guard entry.attributes["number"] == "\(number)" else { return false }
        return entry.bytes.withBytes { bytes in
            for index in bytes.indices where bytes[index] != UInt8(number) { return false }
            return true
        }
    }
}
