// What to do about a failure, for people: the library's message in other words, or with an option after it.

import ArgumentParser
import ImageCodecs
import ImageInspection

/// Which options let a command succeed on a file that failed.
enum Advice: Sendable {
    /// Pixels are decoded; damage can be tolerated, if it is not already. If they are written too, with an effort that is given.
    case decoding(isTolerant: Bool, effort: EncodingOptions.Effort? = nil)
    /// Only headers or the structure are read: there is nothing to tolerate.
    case reading

    /// One line about a failure on `path`, without that path.
    func message(_ error: ImageError, for path: String) -> String {
        switch error {
        case .unknownFormat:
            return Self.isEmpty(path) ? "the file is empty" : error.description + "; \(Self.readable) can be decoded"
        case .truncated(let format, let offset):
            return "the \(format.name) data are cut off at byte \(offset)" + toleration
        case .corrupt: return error.description + toleration
        case .unsupported(let format, let feature): return Self.refusal(format, feature, error)
        case .limitExceeded(.memory, let requested, let allowed) where allowed <= 0 || requested == .max:
            return "there is not enough memory"
        case .limitExceeded(.encodingMemory, _, _):
            return error.description + " (--max-memory raises the limit\(lessMemory))"
        case .limitExceeded(let kind, _, _): return error.description + " (\(kind.option) raises the limit)"
        case .inputOutput(let other, _) where other == path && FileDetails.isFolder(path):
            return "is a folder: use --recursive"
        case .inputOutput(let other, _) where other != path && Self.isInMissingFolder(other):
            return error.message(for: path) + " (the folder is not there; a folder as output is created)"
        case .inputOutput, .invalidArgument, .cancelled: return error.message(for: path)
        }
    }

    /// Does something for a whole run; a failure is printed as that of a file, and ends the run.
    ///
    /// - Parameters:
    ///   - path: the file that failures are about.
    ///   - printsJSON: whether an object is printed for a failure, too.
    ///   - body: what is done.
    /// - Throws: `ExitCode.failure`.
    func reporting<R>(
        about path: String, printsJSON: Bool = false, _ body: () throws(ImageError) -> R
    ) throws -> R {
        do throws(ImageError) {
            return try body()
        } catch {
            if printsJSON { StandardOutput.write(error.json(for: path).text) }
            StandardError.write(message(error, for: path), about: path)
            throw ExitCode.failure
        }
    }

    /// The same, for pixels that are written with this effort.
    func writing(with effort: EncodingOptions.Effort) -> Advice {
        guard case .decoding(let isTolerant, _) = self else { return self }
        return .decoding(isTolerant: isTolerant, effort: effort)
    }

    private var toleration: String {
        if case .decoding(isTolerant: false, _) = self { return " (--tolerant keeps what can be read)" }
        return ""
    }

    /// Which effort takes less memory, if there is one.
    private var lessMemory: String {
        guard case .decoding(_, let effort?) = self, effort != .fast else { return "" }
        return "; --effort fast takes the least"
    }

    private static func refusal(_ format: ImageFormat, _ feature: String, _ error: ImageError) -> String {
        switch feature {
        case "decoding": "\(format.name) cannot be decoded; \(readable) can"
        case "listing its parts": "\(format.name) cannot be inspected; \(inspectable) can"
        case "drawing its macroblocks": "\(format.name) has no macroblocks that could be drawn; lossy WebP files have"
        case _ where feature == ImageError.encoding || feature.hasPrefix(ImageError.encoding + " ("):
            OutputFormat.refusal(of: format.shortName)
        case _ where feature.hasSuffix(" without loss"): error.description + " (--lossless asks for that)"
        default: error.description + "; the file may be valid, but another program has to convert it"
        }
    }

    private static func isInMissingFolder(_ path: String) -> Bool {
        FilePath.folder(of: path).map { FileStatus(ofFileAt: $0) == nil } ?? false
    }

    private static func isEmpty(_ path: String) -> Bool {
        if path == "-" { return StandardInput.isEmpty }
        guard let status = FileStatus(ofFileAt: path) else { return false }
        return status.kind == .regular && status.byteCount == 0
    }

    /// `PNG and JPEG`, as the registered coders have it.
    private static var readable: String { names(of: CoderRegistry.shared.coders.flatMap(\.decodableFormats)) }

    private static var inspectable: String { names(of: FileListing.formats) }

    private static func names(of formats: [ImageFormat]) -> String {
        let formats = Set(formats)
        let known = ImageFormat.all.filter { formats.contains($0) }
        let others = formats.subtracting(known).sorted { $0.rawValue < $1.rawValue }
        return (known + others).map(\.name).list(and: "and")
    }
}

extension ImageError.LimitKind {
    /// The option that sets the limit.
    fileprivate var option: String {
        switch self {
        case .dimension: "--max-dimension"
        case .pixels: "--max-pixels"
        case .memory, .encodingMemory: "--max-memory"
        case .frames: "--max-frames"
        case .framePixels: "--max-frame-pixels"
        case .scans: "--max-scans"
        case .metadata: "--max-metadata"
        case .input: "--max-input"
        case .time: "--max-time"
        }
    }
}
