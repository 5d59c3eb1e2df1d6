// Damage to a file that was sound, or nearly: to its units, then to its bytes.

package import CodecTestSupport

/// Removes, doubles and swaps units, changes bytes, cuts.
package struct FileDamage {
    private var source: DecisionSource

    package init(source: DecisionSource) { self.source = source }

    /// The file of `units`, mostly unharmed.
    ///
    /// - Parameter repair: Puts checksums right after bytes were changed; used half of the times.
    package mutating func applied(to units: [[UInt8]], repair: (([UInt8]) -> [UInt8])? = nil) -> [UInt8] {
        var units = units
        if source.isFault(oneIn: 16) { spliceUnits(&units) }
        var file = Array(units.joined())
        guard source.isFault(oneIn: 6), !file.isEmpty else { return file }
        switch source.below(5) {
        case 0: file = Array(file.prefix(source.below(file.count + 1)))
        case 1:
            let start = source.below(file.count)
            file.removeSubrange(start..<min(file.count, start + 1 + source.below(40)))
        case 2: file.insert(contentsOf: source.bytes(1 + source.below(20)), at: source.below(file.count))
        default:
            for _ in 0...source.below(3) {
                let place = source.below(file.count)
                file[place] = source.oneIn(2) ? source.byte() : file[place] ^ (1 << UInt8(source.below(8)))
            }
        }
        if let repair, source.oneIn(2) { file = repair(file) }
        return file
    }

    private mutating func spliceUnits(_ units: inout [[UInt8]]) {
        // The first unit is what makes the file one of its format.
        guard units.count > 2 else { return }
        let place = 1 + source.below(units.count - 1)
        let other = 1 + source.below(units.count - 1)
        switch source.below(4) {
        case 0: units.remove(at: place)
        case 1: units.insert(units[place], at: other)
        case 2: units.swapAt(place, other)
        default: units[place] = Array(units[place].prefix(source.below(units[place].count + 1)))
        }
    }
}
