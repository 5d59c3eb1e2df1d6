// Puts what several threads give back into the order in which it was handed out.

/// Holds items until all those before them are there.
struct Reordering<Item> {
    private var next = 0
    private var waiting: [Int: Item] = [:]

    /// Takes the item with this number, and answers those whose turn it is.
    mutating func add(_ item: Item, at index: Int) -> [(index: Int, item: Item)] {
        waiting[index] = item
        var ready: [(index: Int, item: Item)] = []
        while let item = waiting.removeValue(forKey: next) {
            ready.append((next, item))
            next += 1
        }
        return ready
    }
}
