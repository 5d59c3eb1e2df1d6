// What the loader's lock protects, and what is to be done once it is open.

internal import ImageCaching

/// What a step made.
enum LoadOutcome: Sendable {
    case bytes(TransferBuffer, LoadOrigin)
    case picture(LoadedImage, LoadOrigin)
    indirect case failure(LoadError)

    /// What a caller gets that waits no more; it knows its address itself.
    static let left = LoadOutcome.failure(LoadError(stage: .lookup, address: "", reason: .cancelled))
}

/// Who is to be answered.
enum LoadWaiter: Sendable {
    case single(CheckedContinuation<LoadOutcome, Never>)
    case feed(PictureFeed)

    var wantsPreviews: Bool {
        if case .feed(let feed) = self { feed.wantsPreviews } else { false }
    }

    func answer(_ outcome: LoadOutcome) {
        switch self {
        case .single(let continuation): continuation.resume(returning: outcome)
        case .feed(let feed): feed.end(outcome)
        }
    }
}

/// The work of one step.
struct LoadWork: Sendable {
    let job: LoadJob
    let kind: WorkKey.Kind
    /// The step's place among all that lead from the source to the picture: 0 for a transfer, 1 for a decode, more for
    /// transformations.
    let index: Int
    /// The picture in memory that it begins with, if no step is before it.
    let start: LoadedImage?
    /// What callers of the step want to be written to caches, together.
    var writes: CachePolicy
    var task: Task<Void, Never>?
    var outcome: LoadOutcome?
    /// The bytes of a transfer, while they arrive too.
    var buffer: TransferBuffer?

    /// What is known of a step of a request's chain, beside what was known before.
    init(_ job: LoadJob, _ chain: LoadChain, _ place: Int, known: LoadWork?) {
        let index = chain.omittedCount + place
        // Originals are written by transfers, whoever waits; pictures by the step that somebody asked for.
        let writes = place == chain.keys.count - 1 || index == 0 ? job.request.cachePolicy : []
        if let known {
            self = known
            self.writes.formUnion(writes)
        } else {
            (self.job, kind, self.index, self.writes) = (job, chain.keys[place].kind, index, writes)
            start = place == 0 ? chain.start : nil
        }
    }

    /// Whether its bytes are to be kept now: it ended when nobody wanted that.
    func isToBeStoredLate(_ before: LoadWork?) -> Bool {
        guard let before, kind == .transfer, before.outcome != nil else { return false }
        return writes.contains(.writesOriginals) && !before.writes.contains(.writesOriginals)
    }
}

/// What is to be done after the lock is open.
struct LoadEffects: Sendable {
    var answers: [([LoadWaiter], LoadOutcome)] = []
    var cancelled: [Task<Void, Never>] = []
    var events: [(String, LoadEvent.Kind)] = []
    /// Transfers that had ended before somebody wanted their bytes to be kept.
    var storedLate: [LoadWork] = []
    /// Kept until then, so that freeing memory does not hold up others.
    var released: [LoadWork] = []
    /// Pictures that had to go from memory, kept for the same reason.
    var evicted: [any Sendable] = []
}

/// Who waits until no step runs any more.
struct IdleWaiter: Sendable {
    let answer: CheckedContinuation<Bool, Never>
    /// Answers if that takes too long.
    let timer: Task<Void, Never>
}

struct LoaderState: Sendable {
    var graph: WorkGraph<LoadWork, LoadWaiter>
    var failures: FailureMemory
    var isShutDown = false
    var idleWaiters: [Int: IdleWaiter] = [:]

    init(graph: WorkGraph<LoadWork, LoadWaiter>, failures: FailureMemory) {
        (self.graph, self.failures) = (graph, failures)
    }

    /// Why a request is answered at once.
    func refusal(_ job: LoadJob, now: Duration) -> LoadError? {
        if Task.isCancelled || isShutDown { return job.error(.lookup, .cancelled) }
        guard job.request.cachePolicy.contains(.readsOriginals) else { return nil }
        return failures.failure(job.originalKey.source, now: now)
    }
}
