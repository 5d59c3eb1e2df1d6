// What every fuzz target needs: libFuzzer's bytes, options drawn from them, and a way to complain.

public import ImageCore

/// The bytes libFuzzer hands to a target.
public enum FuzzInput {
    /// Copies libFuzzer's buffer. Of two inputs, one gets its chunks' checksums corrected, or their sizes.
    @safe
    public static func bytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
        // SAFETY: libFuzzer passes `count` readable bytes.
        let bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
        if count & 1 == 0 { return bytes }
        return RIFFRepair.isRIFF(bytes) ? RIFFRepair.repaired(bytes) : ChunkRepair.repaired(bytes)
    }

    /// Limits under which a decode is quick and small whatever the input says.
    public static let limits = DecodingLimits(
        maxDimension: 4096, maxPixelCount: 1 << 18, maxMemoryByteCount: 16 << 20, maxFrameCount: 16, maxScanCount: 16,
        maxMetadataByteCount: 1 << 18)

    /// Options that depend on every byte of the input a little, so that a file is decoded in many ways without a
    /// prefix that would make seeds unreadable to other tools.
    public static func options(for bytes: [UInt8]) -> DecodingOptions {
        var choice = Choices(seed: checksum(bytes))
        var options = DecodingOptions()
        options.limits = limits
        options.strictness = choice.next(2) == 0 ? .strict : .tolerant
        options.appliesOrientation = choice.next(4) != 0
        let format = choice.next(UInt32(PixelFormat.all.count + 2))
        options.pixelFormat = format == 0 ? nil : format == 1 ? .bgraPremultiplied : PixelFormat.all[Int(format - 2)]
        switch choice.next(8) {
        case 0:
            let box = PixelSize(width: Int(choice.next(70)) + 1, height: Int(choice.next(70)) + 1)
            options.size = .fitting(box, DecodingOptions.Fit.allCases[Int(choice.next(3))])
            if choice.next(3) == 0 { options.thumbnailQuality = .fast }
        case 1:
            options.size = .atMost(byteCount: Int(choice.next(20_000)) + 1)
            if choice.next(3) == 0 { options.thumbnailQuality = .fast }
        default:
            break
        }
        return options
    }

    /// A checksum (FNV-1a) of the input, the seed of all choices.
    public static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var hash: UInt32 = 2_166_136_261
        for byte in bytes { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        return hash
    }
}

/// Small numbers that depend on a seed alone.
public struct Choices: Sendable {
    private var state: UInt32

    /// Equal seeds give equal choices.
    public init(seed: UInt32) { state = seed | 1 }

    /// A number below `bound`.
    public mutating func next(_ bound: UInt32) -> UInt32 {
        state ^= state << 13
        state ^= state >> 17
        state ^= state << 5
        return (state >> 8) % bound
    }
}

/// Stops the process, which libFuzzer reports together with the input.
public func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}
