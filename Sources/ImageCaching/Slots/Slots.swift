// Elements that are found by where they stand.

/// Elements at places; a place that one has left is taken by a later one.
@usableFromInline
package struct Slots<Element: Sendable>: Sendable {
    /// The elements by their places, and what those left that are gone.
    @usableFromInline package var elements: [Element] = []
    @usableFromInline var freePlaces: [Int32] = []

    @inlinable package init() {}

    /// Elements.
    @inlinable package var count: Int { elements.count - freePlaces.count }

    /// Where the next element will stand.
    @inlinable package var nextPlace: Int32 { freePlaces.last ?? Int32(elements.count) }

    /// Whether an element stands or has stood at a place.
    @inlinable package func hasPlace(_ place: Int32) -> Bool { elements.indices.contains(Int(place)) }

    /// The element at a place, or what it left there.
    @inlinable package subscript(place: Int32) -> Element {
        @inline(__always) _read { yield elements[Int(place)] }
        @inline(__always) _modify { yield &elements[Int(place)] }
    }

    /// Adds an element at ``nextPlace``.
    ///
    /// - Returns: that place.
    @inlinable @inline(__always) @discardableResult
    package mutating func insert(_ element: Element) -> Int32 {
        if let place = freePlaces.popLast() {
            elements[Int(place)] = element
            return place
        }
        elements.append(element)
        return Int32(elements.count - 1)
    }

    /// Takes an element from its place.
    ///
    /// - Parameters:
    ///   - place: where an element stands.
    ///   - rest: what it leaves there.
    @inlinable @inline(__always)
    package mutating func remove(_ place: Int32, leaving rest: Element) {
        freePlaces.append(place)
        elements[Int(place)] = rest
    }
}
