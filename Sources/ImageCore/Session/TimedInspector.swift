// Measures an inspection, so that its time counts for the decode after it; waiting for the file is left out.

/// An inspection whose time counts for the decode after it: that of its calls, not of reading a file between them.
package struct TimedInspector: IncrementalInspector {
    private var inspector: any IncrementalInspector
    private let options: DecodingOptions
    private var work: WorkGuard

    /// - Parameter options: those that `inspector` was made with.
    package init(_ inspector: any IncrementalInspector, options: DecodingOptions) {
        self.inspector = inspector
        self.options = options
        work = WorkGuard(options)
    }

    package var info: ImageInfo? { inspector.info }

    /// Options for the decode, with the time that is left for it.
    package var remainingOptions: DecodingOptions { work.remaining(of: options) }

    package mutating func append(_ newBytes: Span<UInt8>) throws(ImageError) {
        work.begin()
        defer { work.end() }
        try inspector.append(newBytes)
    }

    package mutating func finish() throws(ImageError) -> ImageInfo {
        work.begin()
        defer { work.end() }
        return try inspector.finish()
    }
}
