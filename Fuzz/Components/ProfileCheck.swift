// ICC profiles of JPEG in numbered pieces, in any order, doubled, missing and of other totals; and their descriptions.

import CodecTestSupport
import HostileFiles
import ImageCodecsCore
import ImageColor
import JPEGBaselineCodec

/// - Source: ICC.1:2010 §B.4 "Embedding ICC profiles in JFIF files".
enum ProfileCheck {
    static func violations(_ bytes: [UInt8]) -> [String] {
        var source = DecisionSource(bytes)
        if source.oneIn(3) {
            let profile = ProfileRecipe.any(&source)
            let count = ICCProfileDescription.text(of: profile.span)?.utf16.count ?? 0
            return count <= 512 ? [] : ["a description of \(count) units"]
        }
        let meter = MemoryMeter(limit: 64 << 20)
        var options = DecodingOptions()
        options.memoryMeter = meter
        var segments = ApplicationSegments(DecodingRequest(options: options, purpose: .oneShot))
        var model = Model()
        var work = WorkGuard.unlimited
        var found: [String] = []
        let usualTotal = 1 + source.below(source.oneIn(4) ? 255 : 6)
        do throws(ImageError) {
            for step in 0...(1 + source.below(40)) {
                let total = source.oneIn(8) ? Int(source.byte()) : usualTotal
                let number =
                    source.oneIn(6) ? Int(source.byte()) : source.oneIn(2) ? step + 1 : 1 + source.below(usualTotal)
                let piece = source.bytes(source.oneIn(10) ? 0 : source.below(40))
                model.add(piece, number: number & 255, of: total & 255)
                let body = Array("ICC_PROFILE\0".utf8) + [UInt8(number & 255), UInt8(total & 255)] + piece
                try segments.read(body.span, marker: .app2)
                guard source.oneIn(3) else { continue }
                try segments.assemble(work: &work)
                if segments.metadata.iccProfile != model.profile {
                    found.append("another profile after \(step + 1) pieces")
                }
            }
            try segments.assemble(work: &work)
        } catch {
            return ["\(error)"]
        }
        if segments.metadata.iccProfile != model.profile { found.append("another profile") }
        return found
    }

    /// The first piece says how many there are; each number counts once; what comes after the last is ignored.
    private struct Model {
        private var pieces: [[UInt8]?] = []
        private(set) var profile: [UInt8]?

        mutating func add(_ piece: [UInt8], number: Int, of total: Int) {
            guard profile == nil, number > 0, number <= total else { return }
            if pieces.isEmpty { pieces = Array(repeating: nil, count: total) }
            guard pieces.count == total, pieces[number - 1] == nil else { return }
            pieces[number - 1] = piece
            if !pieces.contains(nil) { profile = pieces.flatMap { $0 ?? [] } }
        }
    }
}
