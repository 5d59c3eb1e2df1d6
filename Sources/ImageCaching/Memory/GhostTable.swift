// Which keys left the small queue not long ago, by their hashes alone.

/// The ghost queue of S3-FIFO as a table: a hash that was added fewer than `limit` additions ago is in it.
///
/// A row has four places. An addition replaces the oldest of its row, so that some hashes are forgotten early; a hash is
/// remembered with 32 bits, so that one in a thousand millions is taken for another. Neither does harm: it decides in which queue
/// an entry begins.
struct GhostTable: Sendable {
    private static let placesPerRow = 4

    /// The upper half a part of the hash, the lower half the number of the addition; 0 for an empty place.
    private var places = [UInt64](repeating: 0, count: 64)
    /// Additions so far; begins at 1, so that no place in use is 0.
    private var additionCount: UInt32 = 1

    private func row(of hash: Int) -> Int {
        (hash & (places.count / Self.placesPerRow - 1)) * Self.placesPerRow
    }

    private static func mark(_ hash: Int) -> UInt64 { UInt64(UInt(bitPattern: hash)) & 0xFFFF_FFFF_0000_0000 }

    private func age(_ place: UInt64) -> UInt32 { additionCount &- UInt32(truncatingIfNeeded: place) }

    /// Adds a hash.
    ///
    /// - Parameter limit: how many hashes are to be remembered from now on.
    mutating func add(_ hash: Int, limit: Int) {
        if limit * 2 > places.count { grow(to: limit) }
        additionCount &+= 1
        if additionCount == 0 { (additionCount, places) = (1, [UInt64](repeating: 0, count: places.count)) }
        var oldest = row(of: hash)
        for index in oldest..<oldest + Self.placesPerRow where age(places[index]) > age(places[oldest]) {
            oldest = index
        }
        places[oldest] = Self.mark(hash) | UInt64(additionCount)
    }

    /// Removes a hash; answers whether it was there.
    mutating func remove(_ hash: Int, limit: Int) -> Bool {
        let start = row(of: hash)
        for index in start..<start + Self.placesPerRow {
            let place = places[index]
            guard place != 0, place & 0xFFFF_FFFF_0000_0000 == Self.mark(hash) else { continue }
            places[index] = 0
            return Int(age(place)) < limit
        }
        return false
    }

    /// Twice the room. Rows go by lower bits of the hash, which are not kept: what was in the table is forgotten.
    private mutating func grow(to limit: Int) {
        var count = places.count
        while count < limit * 2 { count *= 2 }
        places = [UInt64](repeating: 0, count: count * 2)
    }
}
