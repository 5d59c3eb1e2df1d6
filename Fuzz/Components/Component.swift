// Parts of the codecs, each with an input of its own kind and an oracle of its own.
//
// In: any bytes. Out: what they show to be wrong. Bytes are decisions (`DecisionSource`): a fuzzer that changes one changes
// what is built from there on, and none is lost on a checksum or a signature.

/// One part, and how to ask whether it keeps what it promises.
package struct Component: Sendable {
    /// How it is called on the command line.
    package let name: String
    /// Whether its inputs are files of a format, which are better changed unit by unit.
    package let takesFiles: Bool
    private let check: @Sendable ([UInt8]) -> [String]

    init(_ name: String, takesFiles: Bool = false, _ check: @escaping @Sendable ([UInt8]) -> [String]) {
        (self.name, self.takesFiles, self.check) = (name, takesFiles, check)
    }

    /// What the bytes show to be wrong.
    package func violations(_ bytes: [UInt8]) -> [String] { check(bytes) }

    /// All of them.
    package static let all: [Component] =
        StructuredFiles.components + FileUnitChecks.components + [
            Component("huffman", HuffmanCheck.violations),
            Component("icc", ProfileCheck.violations),
            Component("exif", ExifCheck.violations),
            Component("png-text", TextCheck.violations),
            Component("booleans", BooleanCheck.violations),
            Component("composer", ComposerCheck.violations),
            Component("scaler", ScalerCheck.violations),
            Component("encoder", EncoderCheck.violations),
            Component("calls", CallCheck.violations),
        ]

    /// The component of a name.
    package static func named(_ name: String) -> Component? { all.first { $0.name == name } }
}
