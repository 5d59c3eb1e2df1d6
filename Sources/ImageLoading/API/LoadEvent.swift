// What a loader does, for logs and metrics.

/// One thing that happened while pictures were loaded.
public struct LoadEvent: Sendable {
    /// What happened.
    public enum Kind: Sendable {
        /// A request was answered from memory.
        case hit
        /// A request was made that others already wait for.
        case joined
        /// A step began.
        case began(LoadError.Stage)
        /// Bytes came from the source: this many so far, of as many as it announced, if it did. At most one in
        /// ``ImageLoader/Configuration/progressInterval``, and the last bytes of a transfer.
        case received(byteCount: Int, of: Int?)
        /// A step ended; for the transfer and the lookup with where the bytes came from.
        case ended(LoadError.Stage, LoadOrigin?)
        /// A step failed.
        case failed(LoadError)
        /// A step was given up, as nobody waits for it any more.
        case cancelled(LoadError.Stage)
        /// A failed transfer is tried again after a while.
        case retrying(after: Duration)
        /// Something was kept on the disk: the bytes of the source, or a finished picture.
        case stored(LoadOrigin)
    }

    /// The address, without user and password.
    public let address: String
    /// What happened.
    public let kind: Kind
    /// When, by the loader's clock.
    public let time: Duration
    /// How long it took, for what ended or failed.
    public let duration: Duration?
}
