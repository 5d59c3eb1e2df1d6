// The quantisation steps of one component in the order and type that the inverse DCT multiplies with.

/// 64 quantisation steps in natural (row-major) order.
///
/// A step of a 16-bit table keeps its bit pattern: the product with a coefficient wraps to 16 bits, as it does
/// in libjpeg-turbo's vector code. Steps of legal files and their products are far below that.
package struct DequantizationTable: Hashable, Sendable {
    /// Always 64 values.
    package let steps: [Int16]

    /// - Parameter steps: 64 steps in natural order, 1...255 or 1...65535.
    /// - Precondition: There are 64 of them.
    package init(naturalOrder steps: [UInt16]) {
        precondition(steps.count == 64)
        self.steps = steps.map { Int16(bitPattern: $0) }
    }
}
