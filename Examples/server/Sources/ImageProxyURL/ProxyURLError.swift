// Why an address of the proxy is refused.

/// What is wrong with an address.
package enum ProxyURLError: Error, Hashable, Sendable {
    /// It is longer than addresses may be.
    case tooLong
    /// It has no signature, or no source.
    case incomplete
    /// Its signature is not one of the keys'.
    case badSignature
    /// An option is not known.
    case unknownOption(String)
    /// An option is known, and not done here.
    case unsupportedOption(String)
    /// An option has a value, or a number of values, that it cannot have.
    case badOption(String)
    /// A preset is not known, or it names itself.
    case badPreset(String)
    /// Only presets are allowed, and there are none.
    case presetsOnly
    /// The source is not text that was percent-encoded or base64-encoded.
    case badSource
    /// The source is none of those that are allowed.
    case sourceNotAllowed
    /// The file name extension stands for no format that is written.
    case badFormat(String)
    /// Its time is over.
    case expired
}

extension ProxyURLError: CustomStringConvertible {
    /// What a client is answered.
    package var description: String {
        switch self {
        case .tooLong: "the address is too long"
        case .incomplete: "the address has no signature or no source"
        case .badSignature: "the signature is not right"
        case .unknownOption(let name): "there is no option \(name)"
        case .unsupportedOption(let name): "the option \(name) is not done by this server"
        case .badOption(let name): "the option \(name) cannot have this value"
        case .badPreset(let name): "there is no preset \(name)"
        case .presetsOnly: "only presets are allowed"
        case .badSource: "the source is not encoded well"
        case .sourceNotAllowed: "the source is not allowed"
        case .badFormat(let name): "pictures are not written as \(name)"
        case .expired: "the address has expired"
        }
    }
}
