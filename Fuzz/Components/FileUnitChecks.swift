// Files given as they are, to be changed unit by unit, against all laws at once.

import CodecTestSupport
import HostileFiles
import ImageCodecsCore

enum FileUnitChecks {
    /// `png-units` and so on.
    static let components = StructuredFormat.allCases.map { format in
        Component("\(format.rawValue)-units", seeds: format.rawValue, file: { file($0, format) }) {
            violations(file($0, format), format)
        }
    }

    /// Bytes that are a file are taken as they are.
    private static func file(_ bytes: [UInt8], _ format: StructuredFormat) -> [UInt8] {
        FileUnits(bytes) == nil ? inserted(bytes, format) : bytes
    }

    /// Options are drawn from a hash of the file, so that any file is a seed.
    private static func violations(_ file: [UInt8], _ format: StructuredFormat) -> [String] {
        var source = DecisionSource(hashOf: file)
        let coder: any IncrementalImageCoder = source.oneIn(4) ? StructuredFormat.registry : format.coder
        return DecoderLaws(coder).hostileViolations(file, source)
    }

    /// Bytes that are no file become the body of a unit of one: of a small sound file all but the first may be replaced.
    private static func inserted(_ bytes: [UInt8], _ format: StructuredFormat) -> [UInt8] {
        var source = DecisionSource(bytes)
        var calm = DecisionSource(seed: UInt64(source.byte()))
        calm.isCalm = true
        let file = format.file(calm)
        let start = source.below(1 << 16)
        return UnitMutator.mutated(file, largest: 1 << 20, &source) { body, _ in
            let place = body.isEmpty ? 0 : start % body.count
            return Array(body[..<place]) + bytes.dropFirst(8) + body[place...].dropFirst(bytes.count)
        } ?? bytes
    }
}
