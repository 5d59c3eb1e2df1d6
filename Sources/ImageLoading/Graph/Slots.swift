// Elements that are found by where they stand.

/// Elements at places; a place that one has left is taken by a later one.
struct Slots<Element: Sendable>: Sendable {
    private var elements: [Element?] = []
    private var freePlaces: [Int32] = []

    /// Elements.
    var count: Int { elements.count - freePlaces.count }

    /// Where the next element will stand.
    var nextPlace: Int32 { freePlaces.last ?? Int32(elements.count) }

    /// The element at a place; `nil` if there is none.
    subscript(place: Int32) -> Element? {
        get { elements.indices.contains(Int(place)) ? elements[Int(place)] : nil }
        _modify { yield &elements[Int(place)] }
    }

    /// Adds an element at ``nextPlace``.
    mutating func insert(_ element: Element) {
        if let place = freePlaces.popLast() {
            elements[Int(place)] = element
        } else {
            elements.append(element)
        }
    }

    /// Takes the element from a place where there is one.
    mutating func remove(_ place: Int32) {
        elements[Int(place)] = nil
        freePlaces.append(place)
    }
}
