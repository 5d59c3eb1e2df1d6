// A value for each component, without memory of its own.

/// One to four values, one for each component of a frame or a scan. They lie in place, so that a picture of few pixels does not
/// pay for a block of memory for each kind of them.
@frozen @usableFromInline
package struct PerComponent<Element: Sendable>: RandomAccessCollection, Sendable {
    // Those from `count` on repeat the first.
    @usableFromInline var values: (Element, Element, Element, Element)
    @usableFromInline package let count: Int

    /// - Precondition: `count` is 1...4.
    @inlinable
    package init<E: Error>(count: Int, _ make: (Int) throws(E) -> Element) throws(E) {
        precondition((1...4).contains(count), "one to four components")
        let first = try make(0)
        values = (first, first, first, first)
        if count > 1 { values.1 = try make(1) }
        if count > 2 { values.2 = try make(2) }
        if count > 3 { values.3 = try make(3) }
        self.count = count
    }

    @inlinable package var startIndex: Int { 0 }
    @inlinable package var endIndex: Int { count }

    @inlinable
    package subscript(position: Int) -> Element {
        precondition(position >= 0 && position < count, "no such component")
        return switch position {
        case 0: values.0
        case 1: values.1
        case 2: values.2
        default: values.3
        }
    }
}

extension PerComponent: Equatable where Element: Equatable {
    @inlinable
    package static func == (left: PerComponent, right: PerComponent) -> Bool { left.elementsEqual(right) }
}

extension PerComponent: Hashable where Element: Hashable {
    @inlinable
    package func hash(into hasher: inout Hasher) {
        for element in self { hasher.combine(element) }
    }
}
