// A large value behind one reference.

/// A value that is copied by reference, until one of two copies changes it.
///
/// A value of many parts is retained and released part by part wherever it passes. Where it is mostly handed on, as what a file
/// says of its picture is, this makes a copy one reference.
///
/// Where the type of the value is known its members are inlined: nothing is looked up at run time.
@frozen @usableFromInline
package struct Indirect<Value: Sendable>: Sendable {
    // SAFETY: @unchecked because the value is a variable; an owner changes it only while uniquely referenced.
    @usableFromInline
    final class Box: @unchecked Sendable {
        @usableFromInline var value: Value

        @inlinable
        init(_ value: consuming Value) { self.value = value }
    }

    @usableFromInline var box: Box

    @inlinable
    package init(_ value: consuming Value) { box = Box(value) }

    /// The value; the first of two copies that changes it makes it its own.
    @inlinable package var value: Value {
        _read { yield box.value }
        _modify {
            if !isKnownUniquelyReferenced(&box) { copy() }
            yield &box.value
        }
    }

    /// Rare, and so apart from what is inlined.
    @inlinable @inline(never)
    mutating func copy() { box = Box(box.value) }
}
