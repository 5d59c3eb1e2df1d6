import APNGCodec
import CodecTestSupport
import Foundation
import GIFCodec
import ImageCodecsCore
import JPEGCodec
import PNGCodec
import WebPCodec

/// A file of `Tests/Fixtures/museum`, and what has to come of it.
struct MuseumExhibit: Sendable, CustomStringConvertible {
    /// The limits that exhibits are read under. Time is for slow machines to limit, not for tests.
    enum Limits: String, CaseIterable, Sendable {
        case untrusted, `default`, unlimited

        var limits: DecodingLimits {
            var limits: DecodingLimits =
                switch self {
                case .untrusted: .untrusted
                case .default: .default
                case .unlimited: .unlimited
                }
            limits.maxTime = nil
            return limits
        }
    }

    /// What a decode ends in.
    enum Outcome: Hashable, Sendable, CustomStringConvertible {
        /// Pixels of this size and checksum.
        case picture(PixelSize, crc: String)
        /// The code of an error, with the kind of limit if it is one.
        case error(String)

        init(_ error: ImageError) {
            if case .limitExceeded(let kind, _, _) = error {
                self = .error("\(error.code).\(kind.rawValue)")
            } else {
                self = .error(error.code)
            }
        }

        var description: String {
            switch self {
            case .picture(let size, let crc): "\(size) pixels of checksum \(crc)"
            case .error(let code): code
            }
        }
    }

    /// The file's name.
    let description: String
    private let outcomes: [Limits: Outcome]
    /// What a file fed in pieces comes to, if that is something else.
    private let piecewise: Outcome?

    func outcome(under limits: Limits, inPieces: Bool) -> Outcome? {
        inPieces ? piecewise ?? outcomes[limits] : outcomes[limits]
    }

    func bytes() throws -> [UInt8] { try FixtureBytes.read("museum/\(description)") }

    var coder: any IncrementalImageCoder {
        if description.hasSuffix(".gif") { return GIFCoder() }
        if description.hasSuffix(".jpg") { return JPEGCoder() }
        return description.hasSuffix(".webp") ? WebPCoder() : APNGCoder()
    }

    /// The coders that read it: APNG files are PNG files, too.
    var coders: [any IncrementalImageCoder] { description.hasSuffix(".png") ? [coder, PNGCoder()] : [coder] }

    static let all: [MuseumExhibit] = {
        guard let bytes = try? FixtureBytes.read("museum/expected.json"),
            let table = try? JSONDecoder().decode([String: Entry].self, from: Data(bytes))
        else { return [] }
        return table.sorted { $0.key < $1.key }.map { name, entry in
            let outcomes = Limits.allCases.map { limits in (limits, entry.outcome(under: limits.rawValue)) }
            return MuseumExhibit(
                description: name,
                outcomes: Dictionary(
                    uniqueKeysWithValues: outcomes.compactMap { limits, outcome in outcome.map { (limits, $0) } }),
                piecewise: entry.piecewise)
        }
    }()

    /// `expected.json`: the same outcome under all limits, or one for each.
    private struct Entry: Decodable {
        struct Picture: Decodable {
            var width: Int
            var height: Int
            var rgbaCRC32: String
        }

        private let byLimits: [String: Outcome]
        private let always: Outcome?
        let piecewise: Outcome?

        func outcome(under limits: String) -> Outcome? { always ?? byLimits[limits] }

        private enum Key: String, CodingKey, CaseIterable {
            case width, error, untrusted, `default`, unlimited, pieces
        }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: Key.self)
            var byLimits: [String: Outcome] = [:]
            if values.contains(.width) {
                always = try Self.outcome(Picture(from: decoder))
            } else if let code = try values.decodeIfPresent(String.self, forKey: .error) {
                always = .error(code)
            } else {
                always = nil
                for key in [Key.untrusted, .default, .unlimited] {
                    if let code = try? values.decode(String.self, forKey: key) {
                        byLimits[key.rawValue] = .error(code)
                    } else {
                        byLimits[key.rawValue] = Self.outcome(try values.decode(Picture.self, forKey: key))
                    }
                }
            }
            self.byLimits = byLimits
            piecewise = try values.decodeIfPresent(Picture.self, forKey: .pieces).map(Self.outcome)
        }

        private static func outcome(_ picture: Picture) -> Outcome {
            .picture(PixelSize(width: picture.width, height: picture.height), crc: picture.rgbaCRC32)
        }
    }
}
