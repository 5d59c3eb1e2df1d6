// The formats that there are generators for.

import APNG
import CodecTestSupport
import GIF
import HostileFiles
import ImageCore
import JPEG
import PNG
import WebP

/// A format: its generator, its coder, its checks.
enum HostileFormat: String, CaseIterable {
    case png
    case jpeg
    case gif
    case apng
    case webp

    /// The file of a seed.
    func file(_ seed: UInt64) -> [UInt8] {
        let source = DecisionSource(seed: seed)
        return switch self {
        case .png: HostilePNG.file(source)
        case .jpeg: HostileJPEG.file(source)
        case .gif: HostileGIF.file(source)
        case .apng: HostileAPNG.file(source)
        case .webp: HostileWebP.file(source)
        }
    }

    /// What the file of a seed violates; one in four files goes through a registry.
    func violations(_ seed: UInt64) -> [String] {
        let own: any IncrementalImageCoder =
            switch self {
            case .png: PNGCoder()
            case .jpeg: JPEGCoder()
            case .gif: GIFCoder()
            case .apng: APNGCoder()
            case .webp: WebPCoder()
            }
        let all = CoderRegistry([WebPCoder(), JPEGCoder(), PNGCoder(), GIFCoder(), APNGCoder()])
        let coder: any IncrementalImageCoder = seed % 4 == 3 ? all : own
        return DecoderLaws(coder).hostileViolations(file(seed), DecisionSource(seed: seed ^ 0xABCD_EF01))
    }
}
