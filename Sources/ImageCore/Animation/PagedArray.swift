// Many small records that grow one by one while snapshots of them are held.

/// An array in pages: a copy is cheap, and appending to one of two copies copies a page, not everything.
///
/// A decoder hands out snapshots of its frames while it reads on; with a plain array every frame after a snapshot would
/// copy all before it. Pages are counted in the memory meter.
package struct PagedArray<Element: Sendable>: Sendable {
    private struct Page: Sendable {
        var elements: [Element]
        let reservation: MemoryReservation
    }

    private var pages: [Page] = []
    /// Elements so far.
    package private(set) var count = 0

    private static var pageCapacity: Int { 64 }
    /// What a page takes besides its elements: its place in the list of pages, which doubles, and heads of blocks.
    private static var pageOverhead: Int { 256 }

    package init() {}

    /// The most memory that `count` elements take, with a page that is copied. Saturates.
    ///
    /// - Parameter elementByteCount: bytes that each element holds besides itself.
    package static func byteCount(_ count: Int, elementByteCount: Int = 0) -> Int {
        let pageCount = count / pageCapacity + 2
        return pageByteCount(elementByteCount).multipliedSaturated(by: pageCount)
    }

    private static func pageByteCount(_ elementByteCount: Int) -> Int {
        pageOverhead + pageCapacity * (MemoryLayout<Element>.stride + elementByteCount)
    }

    /// Appends an element.
    ///
    /// - Parameter elementByteCount: bytes that this element holds besides itself.
    /// - Throws: `limitExceeded(.memory)`.
    package mutating func append(
        _ element: Element, elementByteCount: Int = 0, meter: MemoryMeter?
    ) throws(ImageError) {
        if count % Self.pageCapacity == 0 {
            let reservation = try MemoryReservation(byteCount: Self.pageByteCount(0), meter: meter)
            var elements: [Element] = []
            elements.reserveCapacity(Self.pageCapacity)
            pages.append(Page(elements: elements, reservation: reservation))
        }
        if elementByteCount > 0 { try pages[pages.count - 1].reservation.grow(by: elementByteCount) }
        pages[pages.count - 1].elements.append(element)
        count += 1
    }

    /// The element at `index`.
    ///
    /// - Precondition: there is one.
    package subscript(_ index: Int) -> Element {
        pages[index / Self.pageCapacity].elements[index % Self.pageCapacity]
    }
}
