// A large value behind one reference.

/// A value that is copied by reference, until one of two copies changes it.
///
/// A value of many parts is retained and released part by part wherever it passes. Where it is mostly handed on, as what a file
/// says of its picture is, this makes a copy one reference.
package struct Indirect<Value: Sendable>: Sendable {
    // SAFETY: @unchecked because the value is a variable; an owner changes it only while uniquely referenced.
    private final class Box: @unchecked Sendable {
        var value: Value

        init(_ value: consuming Value) { self.value = value }
    }

    private var box: Box

    package init(_ value: consuming Value) { box = Box(value) }

    /// The value; the first of two copies that changes it makes it its own.
    package var value: Value {
        _read { yield box.value }
        _modify {
            if !isKnownUniquelyReferenced(&box) { box = Box(box.value) }
            yield &box.value
        }
    }
}
