// A request with what the loader makes of it: its source, its keys, its steps.

internal import ImageCaching
internal import ImageCodecsCore

/// One request, as the steps see it.
final class LoadJob: Sendable {
    let request: ImageRequest
    /// Delivers the bytes; `nil` if nobody knows the address.
    let source: (any ImageSource)?
    /// What caches know the bytes by.
    let originalKey: CacheKey
    /// What caches know the picture by.
    let pictureKey: CacheKey

    /// - Parameter isAdjusted: whether the loader's closure has seen the request.
    init(_ request: ImageRequest, _ loader: ImageLoader, isAdjusted: Bool = false) {
        let configuration = loader.configuration
        let request = isAdjusted ? request : configuration.adjust?(request) ?? request
        self.request = request
        source = request.source ?? configuration.sources.first { $0.handles(request.address) }
        var name = request.sourceKey ?? configuration.sourceKey?(request.address) ?? request.address
        // Versions have no NUL; a name that has one is not to look like one with a version.
        if let version = source?.version(of: request.address) {
            name += "\u{0}" + version
        } else if name.utf8.contains(0) {
            name += "\u{0}"
        }
        originalKey = CacheKey(source: name)
        let variant = request.variant(transformationCount: request.transformations.count)
        pictureKey = CacheKey(source: name, variant: variant)
    }

    /// Whether a picture in memory answers it.
    var readsMemory: Bool {
        request.cachePolicy.contains(.readsMemory) && !request.cachePolicy.contains(.revalidates)
    }

    private func key(_ kind: WorkKey.Kind, _ key: CacheKey) -> WorkKey {
        WorkKey(
            kind: kind, key: key, policy: request.cachePolicy, isOnlyFromCache: request.isOnlyFromCache,
            limits: kind == .transfer ? .default : request.options.limits)
    }

    var transferKey: WorkKey { key(.transfer, originalKey) }

    /// The step to the bytes.
    var transferChain: LoadChain { LoadChain(keys: [transferKey]) }

    /// The step to the finished picture, which the disk may have.
    var resultChain: LoadChain { LoadChain(keys: [key(.result, pictureKey)]) }

    /// The steps to the picture: those that come after what is in memory.
    func chain(_ loader: ImageLoader) -> LoadChain {
        guard !request.transformations.isEmpty else {
            return LoadChain(keys: [transferKey, key(.decode, pictureKey)])
        }
        let keys = (0...request.transformations.count).map { count in
            originalKey.with(variant: request.variant(transformationCount: count))
        }
        for count in (0..<request.transformations.count).reversed() {
            guard let start = loader.picture(self, keys[count]) else { continue }
            return LoadChain(
                keys: keys[(count + 1)...].map { key(.transformation, $0) }, start: start, omittedCount: count + 2)
        }
        return LoadChain(keys: [transferKey, key(.decode, keys[0])] + keys[1...].map { key(.transformation, $0) })
    }

    @inline(never)
    func error(_ stage: LoadError.Stage, _ reason: LoadError.Reason) -> LoadError {
        LoadError(stage: stage, address: request.address, reason: reason)
    }
}

/// The steps of a request.
struct LoadChain: Sendable {
    let keys: [WorkKey]
    /// The picture that the first of them begins with, if that is no transfer.
    var start: LoadedImage?
    /// Steps that lead to that picture, and are not taken.
    var omittedCount = 0
}
