// Paths as the operating system has them, bytes that may be no UTF-8, and as text.

/// File names whose bytes are no UTF-8, as text that leads to them.
///
/// A byte that is no part of UTF-8, 80 to FF, is the code point U+EF00 plus its value, of the private use area. A name that has one
/// of U+EF80...U+EFFF in UTF-8 gets three such code points, so that every name has a text of its own, and every text one name.
package enum SystemPath {
    /// Whether a code point stands for a byte that is no UTF-8.
    package static func isByte(_ scalar: Unicode.Scalar) -> Bool { (0xEF80...0xEFFF).contains(scalar.value) }

    /// The text of a path that the system gave.
    package static func text(_ bytes: [UInt8]) -> String {
        var text = String.UnicodeScalarView()
        var (parser, iterator, position) = (Unicode.UTF8.ForwardParser(), bytes.makeIterator(), 0)
        while true {
            let length: Int
            switch parser.parseScalar(from: &iterator) {
            case .valid(let encoded):
                let scalar = Unicode.UTF8.decode(encoded)
                length = encoded.count
                if isByte(scalar) { break }
                text.append(scalar)
                position += length
                continue
            case .error(let count): length = count
            case .emptyInput: return String(text)
            }
            for byte in bytes[position..<position + length] {
                // Bytes below 80 are UTF-8 by themselves, and no code point from U+EF00 to U+EFFF is a surrogate.
                if let scalar = Unicode.Scalar(0xEF00 + UInt32(byte)) { text.append(scalar) }
            }
            position += length
        }
    }

    /// The bytes of a path, as the system wants them but for the zero byte after them.
    package static func bytes(_ path: String) -> [UInt8] {
        guard path.unicodeScalars.contains(where: isByte) else { return Array(path.utf8) }
        return path.unicodeScalars.flatMap { scalar in
            isByte(scalar) ? [UInt8(truncatingIfNeeded: scalar.value)] : Array(String(scalar).utf8)
        }
    }

    /// Calls `body` with the bytes of a path and a zero byte after them.
    package static func withCString<R>(_ path: String, _ body: (UnsafePointer<CChar>) -> R) -> R {
        let bytes = (bytes(path) + [0]).map { CChar(bitPattern: $0) }
        return unsafe bytes.withUnsafeBufferPointer { buffer in
            // SAFETY: there is a zero byte at least, so the buffer has an address; it lives through the call.
            unsafe body(buffer.baseAddress!)
        }
    }
}
