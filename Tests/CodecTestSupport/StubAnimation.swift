package import ImageCodecsCore
import Synchronization

/// Frames of one gray pixel, whose value is the frame's index; each takes 64 bytes.
package final class StubAnimation: AnimatedImageProvider {
    package let info: ImageInfo
    package let frameCount: Int
    private let durations: [Duration]
    private let onDecode: @Sendable (Int) throws(ImageError) -> Void
    private let state = Mutex<[Int]>([])

    /// - Parameters:
    ///   - milliseconds: how long each frame is shown.
    ///   - onDecode: called on the thread that decodes.
    package init(
        _ milliseconds: [Int], loopCount: Int = 1,
        onDecode: @escaping @Sendable (Int) throws(ImageError) -> Void = { (_) throws(ImageError) in }
    ) {
        frameCount = milliseconds.count
        durations = milliseconds.map { .milliseconds($0) }
        self.onDecode = onDecode
        let size = PixelSize(width: 1, height: 1)
        info = ImageInfo(
            format: ImageFormat(rawValue: "test.animation"), size: size,
            animation: ImageInfo.Animation(frameCount: milliseconds.count, loopCount: loopCount), hasAlpha: false,
            bitDepth: 8, colorDescription: "gray", decodedSize: size, decodedFormat: .gray, estimatedPeakByteCount: 64)
    }

    /// Frames that were decoded, in order.
    package var decoded: [Int] { state.withLock { $0 } }

    package func duration(at index: Int) throws(ImageError) -> Duration {
        try check(frameAt: index)
        return durations[index]
    }

    package func frame(at index: Int) throws(ImageError) -> ImageFrame {
        try check(frameAt: index)
        try onDecode(index)
        state.withLock { $0.append(index) }
        return ImageFrame(bitmap: try Self.bitmap(index), duration: durations[index])
    }

    package static func bitmap(_ index: Int) throws(ImageError) -> Bitmap {
        var bitmap = try Bitmap(size: PixelSize(width: 1, height: 1), format: .gray)
        bitmap.withMutableRowBytes(0) { $0.storeBytes(of: UInt8(index), toByteOffset: 0, as: UInt8.self) }
        return bitmap
    }
}

/// What a decode waits at.
package final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var arrivalCount = 0
        var cancelledCount = 0
    }

    private let state = Mutex(State())

    package init() {}

    package var arrivalCount: Int { state.withLock { $0.arrivalCount } }
    package var cancelledCount: Int { state.withLock { $0.cancelledCount } }

    package func open() { state.withLock { $0.isOpen = true } }

    /// Waits until somebody is at the gate.
    package func waitForArrival() async {
        while arrivalCount == 0 { await Task.yield() }
    }

    /// Blocks the thread until the gate is opened, or the task is cancelled.
    package func pass() throws(ImageError) {
        state.withLock { $0.arrivalCount += 1 }
        var failure: ImageError?
        Pause.until {
            do throws(ImageError) { try WorkGuard.unlimited.check() } catch { failure = error }
            return failure != nil || state.withLock { $0.isOpen }
        }
        guard let failure else { return }
        state.withLock { $0.cancelledCount += 1 }
        throw failure
    }
}

/// A value that several threads look at.
package final class SharedValue<Value: Sendable>: Sendable {
    private let state: Mutex<Value>
    package init(_ value: Value) { state = Mutex(value) }
    package var value: Value { state.withLock { $0 } }
    package func change(_ body: (inout Value) -> Void) { state.withLock { body(&$0) } }
}
