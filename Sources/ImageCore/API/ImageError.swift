// The one error type of the package: whose fault it was, where, and a message for the user.

/// Why an image could not be read, written or converted.
///
/// Byte offsets count from the first byte of the image data (across all pieces of an incremental decode) and
/// point at or shortly after the damage.
public enum ImageError: Error, Hashable, Sendable {
    /// What a limit bounds; see ``DecodingLimits``.
    public enum LimitKind: String, Hashable, Sendable {
        case dimension, pixels, memory, frames, framePixels, scans, metadata, input, time
        /// What an encoder would have to hold; see ``EncodingLimits/maxMemoryByteCount``.
        case encodingMemory
    }

    /// No coder recognises these bytes.
    case unknownFormat
    /// The data may be valid, but uses a feature this package does not decode (or encode).
    case unsupported(ImageFormat, feature: String)
    /// The data breaks a rule of its format: which one, for programs, and in words for people.
    case corrupt(ImageFormat, DamageCode, offset: Int, reason: String)
    /// The data ends before the image is complete.
    case truncated(ImageFormat, offset: Int)
    /// Going on would exceed a limit; nothing of that size was allocated. For ``LimitKind/time`` both numbers
    /// are milliseconds.
    case limitExceeded(LimitKind, requested: Int, allowed: Int)
    /// The surrounding task was cancelled.
    case cancelled
    /// The caller asked for something that makes no sense.
    case invalidArgument(String)
    /// A file could not be read or written; the message is the operating system's.
    case inputOutput(path: String, message: String)
}

extension ImageError {
    /// A short stable name for scripts: `unknownFormat`, `unsupported`, `corrupt`, `truncated`,
    /// `limitExceeded`, `cancelled`, `invalidArgument`, `inputOutput`.
    public var code: String {
        switch self {
        case .unknownFormat: "unknownFormat"
        case .unsupported: "unsupported"
        case .corrupt: "corrupt"
        case .truncated: "truncated"
        case .limitExceeded: "limitExceeded"
        case .cancelled: "cancelled"
        case .invalidArgument: "invalidArgument"
        case .inputOutput: "inputOutput"
        }
    }

    /// What is wrong with damaged data; `nil` for other errors, also if the data are cut off.
    public var damageCode: DamageCode? {
        if case .corrupt(_, let code, _, _) = self { code } else { nil }
    }

    /// The byte offset of the damage, if there is one.
    public var offset: Int? {
        switch self {
        case .corrupt(_, _, let offset, _), .truncated(_, let offset): offset
        default: nil
        }
    }
}

extension ImageError {
    /// What a caller can do about it, in a sentence; `nil` if there is nothing.
    public var suggestion: String? {
        switch self {
        case .unknownFormat:
            "Check that the data are those of an image file, whole and not compressed or encoded once more."
        case .unsupported(_, let feature) where feature.hasPrefix(Self.encoding):
            "Write one of the formats that the error names, or add a coder for this one to the registry."
        case .unsupported:
            "Convert the file with another program, or add a coder for it to the registry."
        case .corrupt:
            "Fetch the file again, or set DecodingOptions.strictness to .tolerant to keep what can be read."
        case .truncated:
            "Fetch the whole file, or set DecodingOptions.strictness to .tolerant to keep what is there."
        case .limitExceeded(.encodingMemory, _, _):
            "Set EncodingOptions.effort to .fast, with which most formats hold some rows instead of the picture, or raise EncodingLimits.maxMemoryByteCount."
        case .limitExceeded(let kind, _, _):
            "If the file is to be trusted, raise DecodingLimits.\(kind.limitName)."
        case .inputOutput:
            "Check the path, the permissions and the room on the disk."
        case .cancelled, .invalidArgument:
            nil
        }
    }
}

extension ImageError.LimitKind {
    /// The property of ``DecodingLimits`` that sets it.
    fileprivate var limitName: String {
        switch self {
        case .dimension: "maxDimension"
        case .pixels: "maxPixelCount"
        case .memory: "maxMemoryByteCount"
        case .frames: "maxFrameCount"
        case .framePixels: "maxFramePixelCount"
        case .scans: "maxScanCount"
        case .metadata: "maxMetadataByteCount"
        case .input: "maxInputByteCount"
        case .time: "maxTime"
        case .encodingMemory: "maxMemoryByteCount"
        }
    }
}

extension ImageError {
    /// The one of two errors with the smaller byte offset in the file.
    package static func earlier(_ first: ImageError?, _ second: ImageError?) -> ImageError? {
        guard let first, let second else { return first ?? second }
        return second.offset ?? .max < first.offset ?? .max ? second : first
    }
}

extension ImageError {
    /// How the feature of an error begins if a format cannot be written.
    package static let encoding = "encoding"

    /// No coder writes `format`, but some write others.
    package static func cannotEncode(_ format: ImageFormat, writable: [ImageFormat]) -> ImageError {
        .unsupported(format, feature: encoding + named(writable))
    }

    /// No coder writes animations as `format`, but some do as others.
    package static func cannotEncodeAnimation(_ format: ImageFormat, writable: [ImageFormat]) -> ImageError {
        .unsupported(format, feature: encoding + " animations" + named(writable))
    }

    private static func named(_ writable: [ImageFormat]) -> String {
        writable.isEmpty ? "" : " (what can be written: \(writable.map(\.name).joined(separator: ", ")))"
    }
}

extension ImageError: CustomStringConvertible {
    /// One line for people. The name of a file is in it only if the file could not be read or written.
    public var description: String {
        switch self {
        case .unknownFormat:
            "not an image of a known format"
        case .unsupported(let format, let feature):
            "unsupported \(format.name): \(feature)"
        case .corrupt(let format, _, let offset, let reason):
            "damaged \(format.name) at byte \(offset): \(reason)"
        case .truncated(let format, let offset):
            "\(format.name) data ends too early, at byte \(offset)"
        case .limitExceeded(.time, _, let allowed):
            "it took longer than the limit of \(allowed) ms"
        case .limitExceeded(.encodingMemory, let requested, let allowed):
            "writing with this effort takes \(requested) bytes of memory, \(allowed) are allowed"
        case .limitExceeded(let kind, let requested, let allowed):
            "\(kind.rawValue) limit exceeded: \(requested) needed, \(allowed) allowed"
        case .cancelled:
            "cancelled"
        case .invalidArgument(let what):
            what
        case .inputOutput(let path, let message):
            "\(path): \(message)"
        }
    }
}
