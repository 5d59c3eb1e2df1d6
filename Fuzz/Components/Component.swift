// Parts of the codecs, each with an input of its own kind and an oracle of its own.
//
// In: any bytes. Out: what they show to be wrong. Bytes are decisions (`DecisionSource`): a fuzzer that changes one changes
// what is built from there on, and none is lost on a checksum or a signature.

import ImageCodecsCore

/// One part, and how to ask whether it keeps what it promises.
package struct Component: Sendable {
    /// How it is called on the command line.
    package let name: String
    /// Whether its inputs are files of a format, which are better changed unit by unit.
    package var takesFiles: Bool { file != nil }
    /// The folder of the test fixtures that has inputs of the part.
    package let seedFolder: String?
    /// The file that any bytes become, which is itself an input that shows the same.
    package let file: (@Sendable ([UInt8]) -> [UInt8])?
    private let check: @Sendable ([UInt8]) -> [String]

    init(
        _ name: String, seeds: String? = nil, file: (@Sendable ([UInt8]) -> [UInt8])? = nil,
        _ check: @escaping @Sendable ([UInt8]) -> [String]
    ) {
        (self.name, seedFolder, self.file, self.check) = (name, seeds, file, check)
    }

    /// - Parameter check: throws a ``Violation``, or any other error that nothing explains.
    init(_ name: String, seeds: String? = nil, throwing check: @escaping @Sendable ([UInt8]) throws -> Void) {
        self.init(name, seeds: seeds) { bytes in
            do {
                try check(bytes)
                return []
            } catch {
                return ["\(error)"]
            }
        }
    }

    /// What the bytes show to be wrong.
    package func violations(_ bytes: [UInt8]) -> [String] { check(bytes) }

    /// All of them.
    package static let all: [Component] =
        StructuredFiles.components + FileUnitChecks.components + [
            Component("huffman", HuffmanCheck.violations),
            Component("icc", ProfileCheck.violations),
            Component("colors", ColorCheck.violations),
            Component("exif", ExifCheck.violations),
            Component("png-text", TextCheck.violations),
            Component("booleans", BooleanCheck.violations),
            Component("composer", ComposerCheck.violations),
            Component("scaler", ScalerCheck.violations),
            Component("encoder", EncoderCheck.violations),
            Component("encode-decode", EncodeDecodeCheck.violations),
            Component("encode-animation", EncodeAnimationCheck.violations),
            Component("encode-again", seeds: "jpeg", file: EncodeAgainCheck.file, EncodeAgainCheck.violations),
            Component("surgery", seeds: "jpeg", file: SurgeryCheck.file, SurgeryCheck.violations),
            Component("calls", CallCheck.violations),
            Component("deflate", throwing: DeflateCheck.check),
            Component("inflate", seeds: "png", InflateCheck.violations),
            Component("kernels", seeds: "png", throwing: KernelCheck.check),
            Component("lzw", seeds: "gif", throwing: LZWCheck.check),
            Component("prefix-codes", seeds: "webp/lossless", throwing: PrefixCodeCheck.check),
            Component("vp8", seeds: "webp/lossy", throwing: VP8Check.check),
            Component("vp8l", seeds: "webp/lossless", throwing: VP8LCheck.check),
        ]

    /// The component of a name.
    package static func named(_ name: String) -> Component? { all.first { $0.name == name } }
}

/// Something that is not as it should be.
struct Violation: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// - Throws: a violation if the condition does not hold.
func require(_ condition: Bool, _ description: @autoclosure () -> String) throws {
    if !condition { throw Violation(description()) }
}

extension DecodingLimits {
    /// Limits under which a decode is quick and small whatever the input says.
    static let small = DecodingLimits(
        maxDimension: 4096, maxPixelCount: 1 << 18, maxMemoryByteCount: 16 << 20, maxFrameCount: 16, maxScanCount: 16,
        maxMetadataByteCount: 1 << 18)
}
