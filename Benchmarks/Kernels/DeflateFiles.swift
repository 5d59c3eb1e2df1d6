// kernel-bench --deflate: files through our deflater, for scripts that read the streams with other inflaters or compare the time.

import DeflateCodec
import ImageCodecsCore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Compresses files as they are, each into one beside it.
enum DeflateFiles {
    /// Processor seconds that runs of one file have to add up to; the least of a run is what counts.
    private static let enoughSeconds = 0.1

    /// What POSIX lets `clock` count in.
    private static let clockTicksOfSecond = 1e6

    /// Writes `FILE.EFFORT.zlib` for each file, and prints a line: the path, bytes before and after, processor seconds.
    ///
    /// - Returns: whether all files could be read and written.
    static func run(_ effort: CompressionEffort, _ paths: [String]) -> Bool {
        paths.allSatisfy { path in
            guard let data = try? ImageData(contentsOfFile: path) else {
                print("cannot read \(path)")
                return false
            }
            let bytes = data.withBytes { Array($0) }
            var (stream, best, total) = ([UInt8](), Double.infinity, 0.0)
            while total < enoughSeconds {
                let start = clock()
                stream = compressed(bytes, effort)
                let seconds = Double(clock() - start) / clockTicksOfSecond
                (best, total) = (min(best, seconds), total + max(seconds, 1e-5))
            }
            let target = "\(path).\(effort).zlib"
            guard write(stream, to: target) else {
                print("cannot write \(target)")
                return false
            }
            print("\(path)\t\(bytes.count)\t\(stream.count)\t\(best)")
            return true
        }
    }

    private static func write(_ bytes: [UInt8], to path: String) -> Bool {
        // SAFETY: the strings are C strings for the calls, the stream is checked, and the count is the array's.
        guard let file = unsafe fopen(path, "w") else { return false }
        let written = unsafe fwrite(bytes, 1, bytes.count, file)
        return unsafe fclose(file) == 0 && written == bytes.count
    }
}
