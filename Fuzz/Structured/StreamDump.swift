// Streams that the deflater makes of recipes, in one file, for other inflaters to read.

import CodecTestSupport
import FuzzComponents
import Glibc

enum StreamDump {
    /// Writes, for each seed: the number of bytes and that of bytes in the stream (32 bits each, the lowest byte first), the bytes,
    /// and the stream.
    ///
    /// - Parameters:
    ///   - seeds: those that ``SeedKind`` gives the part `deflate`.
    ///   - path: the file, which is replaced.
    /// - Returns: whether that was possible.
    static func write(_ seeds: Range<UInt64>, to path: String) -> Bool {
        guard let kind = SeedKind("deflate") else { return false }
        // SAFETY: the strings are C strings for the call; the stream is checked.
        guard let file = unsafe fopen(path, "w") else { return false }
        var isWritten = true
        for seed in seeds {
            var source = DecisionSource(kind.bytes(seed))
            let recipe = CompressionRecipe(&source)
            let stream = recipe.stream
            let record = bytes(recipe.data.count) + bytes(stream.count) + recipe.data + stream
            // SAFETY: the count is the array's, and the file is open.
            isWritten = unsafe fwrite(record, 1, record.count, file) == record.count && isWritten
        }
        // SAFETY: it is open, and not used any more.
        return unsafe fclose(file) == 0 && isWritten
    }

    private static func bytes(_ number: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
