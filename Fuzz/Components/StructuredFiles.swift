// Whole files that decisions lead to, one generator for each format, against all laws at once.

import APNGCodec
package import CodecTestSupport
import GIFCodec
import HostileFiles
package import ImageCodecsCore
import JPEGCodec
import PNGCodec
import WebPCodec

/// A format: its generator and its coder.
package enum StructuredFormat: String, CaseIterable, Sendable {
    case png
    case jpeg
    case gif
    case apng
    case webp

    /// The file that decisions lead to.
    package func file(_ source: DecisionSource) -> [UInt8] {
        switch self {
        case .png: HostilePNG.file(source)
        case .jpeg: HostileJPEG.file(source)
        case .gif: HostileGIF.file(source)
        case .apng: HostileAPNG.file(source)
        case .webp: HostileWebP.file(source)
        }
    }

    /// The coder of the format alone.
    package var coder: any IncrementalImageCoder {
        switch self {
        case .png: PNGCoder()
        case .jpeg: JPEGCoder()
        case .gif: GIFCoder()
        case .apng: APNGCoder()
        case .webp: WebPCoder()
        }
    }

    /// Coders of all formats after one.
    package static let registry = CoderRegistry([WebPCoder(), JPEGCoder(), PNGCoder(), GIFCoder(), APNGCoder()])
}

enum StructuredFiles {
    /// `png-structure` and so on: the file of the input; options come after it.
    static let components = StructuredFormat.allCases.map { format in
        Component("\(format.rawValue)-structure") { bytes in
            // The first byte says which coder, the second how many of the bytes are for the options.
            var source = DecisionSource(bytes)
            let isRegistry = source.oneIn(4)
            let optionBytes = Array(bytes.dropFirst(2).prefix(Int(source.byte()) % 48))
            let file = format.file(DecisionSource(Array(bytes.dropFirst(2 + optionBytes.count))))
            let coder: any IncrementalImageCoder = isRegistry ? StructuredFormat.registry : format.coder
            return DecoderLaws(coder).hostileViolations(file, DecisionSource(optionBytes + [0]))
        }
    }
}
