// What is seen is loaded, what is about to be seen is loaded after it, and what is no longer seen is given up.

package import ImageCodecs
package import ImageLoading
import ImagePlayback
import Synchronization

/// Loads the pictures that a window shows, plays their animations, and gives up those that left it.
///
/// The window says what it shows with ``show(_:ahead:box:)`` and takes what came with ``arrivals(atMost:)``. Of each picture only the newest
/// state waits there, so a slow window skips previews and frames, and nothing piles up.
package final class PictureWall: Sendable {
    /// What came of a picture.
    package enum Arrival: Sendable {
        /// The picture, a preview of it, or a frame.
        case bitmap(Bitmap)
        /// It cannot be shown, and why.
        case failure(String)
    }

    /// What happened so far.
    package struct Counts: Sendable {
        /// Pictures that were begun, came whole, were given up before that, and failed.
        package var begun = 0
        package var loaded = 0
        package var givenUp = 0
        package var failed = 0
        /// Previews of pictures, and frames of animations.
        package var previews = 0
        package var frames = 0
    }

    private struct State {
        var box = PixelSize(width: 0, height: 0)
        var ahead = 0..<0
        var prefetcher: ImagePrefetcher?
        /// Of the pictures that are shown: each loads, plays or has ended.
        var tasks: [Int: Task<Void, Never>] = [:]
        /// Those among them that came whole or failed.
        var complete: Set<Int> = []
        var arrivals: [Int: Arrival] = [:]
        var counts = Counts()
    }

    /// Where the pictures are.
    package let addresses: [String]
    private let loader: ImageLoader
    private let pixelFormat: PixelFormat
    private let wake: @Sendable () -> Void
    private let state = Mutex(State())

    /// Creates a wall that shows nothing.
    ///
    /// - Parameters:
    ///   - addresses: of the pictures.
    ///   - loader: loads them, and has those that were seen lately in its memory cache.
    ///   - pixelFormat: of the bitmaps that arrive.
    ///   - wake: is called, from any thread, when something came.
    package init(
        _ addresses: [String], loader: ImageLoader, pixelFormat: PixelFormat, wake: @escaping @Sendable () -> Void
    ) {
        (self.addresses, self.loader, self.pixelFormat, self.wake) = (addresses, loader, pixelFormat, wake)
    }

    deinit { state.withLock { state in for task in state.tasks.values { task.cancel() } } }

    package var counts: Counts { state.withLock { $0.counts } }

    /// Pictures that are neither whole nor given up.
    package var loadingCount: Int { state.withLock { $0.tasks.count - $0.complete.count } }

    /// Says what is seen now.
    ///
    /// - Parameters:
    ///   - visible: pictures that are seen.
    ///   - ahead: pictures that may be seen next; they are loaded into the memory cache, after all that are seen.
    ///   - box: what each is to fit into.
    package func show(_ visible: Range<Int>, ahead: Range<Int>, box: PixelSize) {
        state.withLock { state in
            let gone = state.box == box ? state.tasks.keys.filter { !visible.contains($0) } : Array(state.tasks.keys)
            for index in gone {
                state.tasks.removeValue(forKey: index)?.cancel()
                state.arrivals[index] = nil
                if state.complete.remove(index) == nil { state.counts.givenUp += 1 }
            }
            if state.ahead != ahead || state.box != box {
                let requests = ahead.filter { !visible.contains($0) }.map { request($0, box) }
                // The last list is given up with its prefetcher.
                state.prefetcher = requests.isEmpty ? nil : loader.prefetch(requests)
                state.ahead = ahead
            }
            state.box = box
            for index in visible where state.tasks[index] == nil {
                state.counts.begun += 1
                state.tasks[index] = task(index, request(index, box))
            }
        }
    }

    /// What came since it was asked last, the newest of each picture.
    ///
    /// - Parameter count: how many pictures at most; the rest waits for the next call.
    package func arrivals(atMost count: Int) -> [Int: Arrival] {
        state.withLock { state in
            guard state.arrivals.count > count else {
                defer { state.arrivals = [:] }
                return state.arrivals
            }
            var taken: [Int: Arrival] = [:]
            for index in state.arrivals.keys.sorted().prefix(count) {
                taken[index] = state.arrivals.removeValue(forKey: index)
            }
            return taken
        }
    }

    private func request(_ index: Int, _ box: PixelSize) -> ImageRequest {
        var options = DecodingOptions.loading
        options.size = DecodingOptions.thumbnail(width: box.width, height: box.height).size
        options.pixelFormat = pixelFormat
        options.strictness = .tolerant
        return ImageRequest(addresses[index], options: options, priority: .high)
    }

    // MARK: - Loading

    private func task(_ index: Int, _ request: ImageRequest) -> Task<Void, Never> {
        Task.detached { [loader, weak self] in
            do {
                for try await picture in loader.pictures(for: request) {
                    self?.post(index, .bitmap(picture.image.bitmap), isPreview: picture.isPreview)
                    guard !picture.isPreview, let animation = picture.animation else { continue }
                    for try await played in try AnimationPlayer(animation) {
                        self?.post(index, .bitmap(played.frame.bitmap), isFrame: true)
                    }
                }
            } catch {
                self?.post(index, .failure("\(error)"))
            }
        }
    }

    /// Puts down what came, unless the picture is no longer seen: its task is cancelled under the same lock.
    private func post(_ index: Int, _ arrival: Arrival, isPreview: Bool = false, isFrame: Bool = false) {
        let isSeen = state.withLock { state in
            guard !Task.isCancelled, state.tasks[index] != nil else { return false }
            state.arrivals[index] = arrival
            switch arrival {
            case .bitmap where isPreview: state.counts.previews += 1
            case .bitmap where isFrame: state.counts.frames += 1
            case .bitmap: state.counts.loaded += 1
            case .failure: state.counts.failed += 1
            }
            if !isPreview { state.complete.insert(index) }
            return true
        }
        if isSeen { wake() }
    }
}
