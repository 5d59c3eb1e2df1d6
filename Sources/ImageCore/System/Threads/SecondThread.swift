// How much work there has to be before a decode uses a second thread.

/// The smallest pictures, and the smallest pieces of input, that a codec decodes on two threads.
package struct SecondThread: Sendable {
    private let smallestPixelCount: Int
    private let smallestByteCount: Int

    /// Whether pictures and pieces of any size are decoded on two threads if the options allow two, and rows handed over
    /// one by one: for tests, whose pictures are small.
    package static let isForAll = TaskLocal(wrappedValue: false)

    /// - Parameters:
    ///   - smallestPixelCount: pictures of fewer pixels stay on one thread.
    ///   - smallestByteCount: pieces of fewer bytes do.
    package init(smallestPixelCount: Int, smallestByteCount: Int) {
        (self.smallestPixelCount, self.smallestByteCount) = (smallestPixelCount, smallestByteCount)
    }

    /// Whether a picture may be decoded on two threads.
    package func isPossible(_ size: PixelSize, threads: Int) -> Bool {
        guard threads > 1, let count = size.pixelCount else { return false }
        return count >= smallestPixelCount || Self.isForAll.get()
    }

    /// Whether a piece of this many bytes is decoded on two threads.
    package func isWorthwhile(byteCount: Int) -> Bool { byteCount >= smallestByteCount || Self.isForAll.get() }
}
