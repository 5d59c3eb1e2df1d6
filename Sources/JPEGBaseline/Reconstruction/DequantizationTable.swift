// The quantisation steps of one component in the order and type that the inverse DCT multiplies with.

package import ImageCodecsCore

/// 64 quantisation steps in natural (row-major) order.
///
/// A step of a 16-bit table keeps its bit pattern: the product with a coefficient wraps to 16 bits, as it does
/// in libjpeg-turbo's vector code. Steps of legal files and their products are far below that.
package struct DequantizationTable: Hashable, Sendable {
    /// The steps, and after them eight zeros for the vector kernels (see `opaqueZero`).
    package let values: ContiguousArray<Int16>

    /// Where the zeros begin.
    static let zeros = 64
    /// Values in a table.
    static let count = 72

    /// Steps of one.
    static let ones = DequantizationTable(naturalOrder: Array(repeating: 1, count: 64))

    /// The 64 steps.
    package var steps: ArraySlice<Int16> { values[..<64] }

    /// The table that a segment has put into a slot.
    package init(_ tables: DecodingTables, slot: Int, offset: Int) throws(ImageError) {
        var values = ContiguousArray<Int16>(repeating: 0, count: Self.count)
        try tables.writeSteps(slot: slot, offset: offset, to: &values, at: 0)
        self.values = values
    }

    /// - Parameter steps: 64 steps in natural order, 1...255 or 1...65535.
    /// - Precondition: There are 64 of them.
    package init(naturalOrder steps: [UInt16]) {
        precondition(steps.count == 64)
        values = ContiguousArray(steps.map { Int16(bitPattern: $0) } + Array(repeating: 0, count: 8))
    }
}
