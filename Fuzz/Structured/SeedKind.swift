// What seeds lead to: files of a format, streams for the inflater, inputs for a part of a codec.

import CodecTestSupport
import FuzzComponents
import ImageCodecsCore

/// Something that has an input for every seed.
enum SeedKind {
    case format(StructuredFormat)
    case inflate
    case component(Component)

    init?(_ name: String) {
        if let format = StructuredFormat(rawValue: name) {
            self = .format(format)
        } else if name == "inflate" {
            self = .inflate
        } else if let component = Component.named(name) {
            self = .component(component)
        } else {
            return nil
        }
    }

    static let formats = StructuredFormat.allCases.map(SeedKind.format)

    /// All names.
    static let names: [String] = {
        let formats = StructuredFormat.allCases.map(\.rawValue)
        return formats + ["inflate"] + Component.all.map(\.name).filter { !formats.contains($0) }
    }()

    /// The file of a seed, or the bytes that decisions are drawn from.
    func bytes(_ seed: UInt64) -> [UInt8] {
        switch self {
        case .format(let format): return format.file(DecisionSource(seed: seed))
        case .inflate: return InflateRun.stream(seed)
        case .component:
            var random = SeededRandom(seed: seed)
            let count = 8 + Int(random.next() % 600)
            return random.bytes(count)
        }
    }

    /// The file of a seed, if that is what bytes become.
    func file(_ seed: UInt64) -> [UInt8] {
        if case .component(let component) = self, let file = component.file { return file(bytes(seed)) }
        return bytes(seed)
    }

    /// Runs `seeds` while there is time, and prints what is found.
    ///
    /// - Returns: how many findings there were.
    func run(_ seeds: Range<UInt64>, until deadline: ContinuousClock.Instant?) -> Int {
        switch self {
        case .format(let format):
            SeedRun(name: format.rawValue) { violations(of: format, $0) }.run(seeds, until: deadline)
        case .inflate: InflateRun.run(seeds, until: deadline)
        case .component(let component):
            SeedRun(name: component.name) { component.violations(bytes($0)) }.run(seeds, until: deadline)
        }
    }

    /// One in four files goes through a registry.
    private func violations(of format: StructuredFormat, _ seed: UInt64) -> [String] {
        let coder: any IncrementalImageCoder = seed % 4 == 3 ? StructuredFormat.registry : format.coder
        return DecoderLaws(coder).hostileViolations(bytes(seed), DecisionSource(seed: seed ^ 0xABCD_EF01))
    }
}
