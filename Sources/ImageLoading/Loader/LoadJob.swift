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

    private func key(_ kind: WorkKey.Kind, _ key: CacheKey) -> WorkKey {
        WorkKey(
            kind: kind, key: key, policy: request.cachePolicy, isOnlyFromCache: request.isOnlyFromCache,
            limits: kind == .transfer ? .default : request.options.limits)
    }

    var transferKey: WorkKey { key(.transfer, originalKey) }

    /// The steps to the picture.
    ///
    /// - Parameter withResult: whether the disk may have the finished picture.
    func chain(withResult: Bool) -> [WorkKey] {
        if withResult { return [key(.result, pictureKey)] }
        guard !request.transformations.isEmpty else { return [transferKey, key(.decode, pictureKey)] }
        let decoded = CacheKey(source: originalKey.source, variant: request.decodingVariant)
        return [transferKey, key(.decode, decoded)]
            + (1...request.transformations.count).map { count in
                let variant = request.variant(transformationCount: count)
                return key(.transformation, originalKey.with(variant: variant))
            }
    }

    @inline(never)
    func error(_ stage: LoadError.Stage, _ reason: LoadError.Reason) -> LoadError {
        LoadError(stage: stage, address: request.address, reason: reason)
    }
}
