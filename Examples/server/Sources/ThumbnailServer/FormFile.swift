// Forms: which of the bytes of a `multipart/form-data` body are the first file.

import Hummingbird
import NIOCore

/// Finds the first file of a form whose bytes come in pieces of any size.
///
/// ```
///  --boundary CR LF  header lines  CR LF CR LF  content  CR LF --boundary CR LF  header lines ...  CR LF --boundary--
/// ```
/// Of the form it holds one delimiter or one header line, not more; what comes before the first delimiter, other parts, and what comes
/// after the file is thrown away. A file is a part with a file name that is not empty.
///
/// Source: RFC 7578 "Returning Values from Forms", RFC 2046 §5.1.1 "Common Syntax".
package struct FormFile: Sendable {
    /// Bytes that the header of one part may have.
    package static let maxHeaderByteCount = 8192
    /// Blanks that may follow a boundary in its line.
    private static let maxPaddingByteCount = 64
    private static let (cr, lf, dash) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: "-"))

    private enum State {
        /// In what no route wants: before the first part, or in one that is no file.
        case skipped
        /// In the lines before a part's content.
        case header
        case file
        case done(hasFile: Bool)
    }

    private var state = State.skipped
    /// The end of a line, and the line between parts.
    private let delimiter: [UInt8]
    /// The lines of a part's header that have come, each after a line feed.
    private var header: [UInt8] = []
    /// Bytes whose meaning is not known yet. The first delimiter needs no end of a line before it.
    private var held = ByteBuffer(bytes: [cr, lf])

    /// - Parameter contentType: The body's `Content-Type`.
    /// - Returns: `nil` if that is no form.
    /// - Throws: 400 for a form without a boundary of 1 to 70 bytes.
    package init?(contentType: String?) throws(HTTPError) {
        let type = HeaderValue(contentType ?? "")
        guard type.value == "multipart/form-data" else { return nil }
        guard let boundary = type.parameters["boundary"], (1...70).contains(boundary.utf8.count) else {
            throw Self.error("the form has no boundary of 1 to 70 bytes")
        }
        delimiter = Array("\r\n--\(boundary)".utf8)
    }

    /// Takes the next piece of the form.
    ///
    /// - Returns: The bytes of the file that are known now, perhaps none.
    /// - Throws: 400 for a header that is too long or has line ends of another kind.
    package mutating func bytes(in piece: ByteBufferView) throws(HTTPError) -> ByteBuffer {
        held.writeBytes(piece)
        var file = ByteBuffer()
        while try goesOn(&file) {}
        held.discardReadBytes()
        return file
    }

    /// - Throws: 400 if the form had no file, or not all of it.
    package func finish() throws(HTTPError) {
        guard case .done(hasFile: true) = state else { throw Self.error("the form has no whole file") }
    }

    private static func error(_ message: String) -> HTTPError { HTTPError(.badRequest, message: message) }

    /// Reads to the end of the content or header line that comes next; `false` if that needs more bytes.
    private mutating func goesOn(_ file: inout ByteBuffer) throws(HTTPError) -> Bool {
        switch state {
        case .skipped: return readContent { _ in }
        case .file: return readContent { content in file.writeImmutableBuffer(content) }
        case .header: return try readHeaderLine()
        case .done:
            held.clear()
            return false
        }
    }

    // MARK: - Content

    /// What may follow the bytes of a delimiter.
    private enum Delimiting {
        case isNone
        case needsMore
        case isOne(byteCount: Int, isLast: Bool)
    }

    /// Passes on the content up to the next delimiter, or what is there of it.
    private mutating func readContent(_ pass: (ByteBuffer) -> Void) -> Bool {
        let bytes = held.readableBytesView
        var end = bytes.startIndex
        while let start = bytes[end...].firstIndex(of: Self.cr) {
            end = start + 1
            if end < bytes.endIndex, bytes[end] != Self.lf { continue }
            switch delimiting(bytes[start...]) {
            case .isNone: break
            case .needsMore:
                pass(content(byteCount: start - bytes.startIndex))
                return false
            case .isOne(let byteCount, let isLast):
                pass(content(byteCount: start - bytes.startIndex))
                held.moveReaderIndex(forwardBy: byteCount)
                header = []
                if case .file = state {
                    state = .done(hasFile: true)
                } else {
                    state = isLast ? .done(hasFile: false) : .header
                }
                return true
            }
        }
        pass(content(byteCount: bytes.count))
        return false
    }

    private mutating func content(byteCount: Int) -> ByteBuffer { held.readSlice(length: byteCount) ?? ByteBuffer() }

    /// Whether bytes that begin with CR are a delimiter.
    private func delimiting(_ bytes: ByteBufferView) -> Delimiting {
        let start = bytes.prefix(delimiter.count)
        guard start.elementsEqual(delimiter.prefix(start.count)) else { return .isNone }
        let line = bytes.dropFirst(delimiter.count).prefix(Self.maxPaddingByteCount + 2)
        if line.starts(with: [Self.dash, Self.dash]) { return .isOne(byteCount: delimiter.count + 2, isLast: true) }
        let rest = line.drop(while: Self.isBlank)
        if rest.starts(with: [Self.cr, Self.lf]) {
            return .isOne(byteCount: rest.startIndex + 2 - bytes.startIndex, isLast: false)
        }
        guard line.count < Self.maxPaddingByteCount + 2 else { return .isNone }
        let mayGoOn = rest.isEmpty || rest.elementsEqual([Self.cr]) || line.elementsEqual([Self.dash])
        return mayGoOn ? .needsMore : .isNone
    }

    // MARK: - Header

    private mutating func readHeaderLine() throws(HTTPError) -> Bool {
        let bytes = held.readableBytesView
        let line = bytes[..<(bytes.firstIndex(of: Self.cr) ?? bytes.endIndex)]
        guard header.count + line.count < Self.maxHeaderByteCount else {
            throw Self.error("a header of the form is too long")
        }
        let end = bytes[line.endIndex...].prefix(2)
        guard end.count == 2 else { return false }
        guard end.last == Self.lf else { throw Self.error("a line of the form ends in CR without LF") }
        held.moveReaderIndex(forwardBy: line.count + 2)
        if line.isEmpty {
            state = hasFileName ? .file : .skipped
        } else {
            // A line that begins with a blank goes on with the one before it (RFC 5322 §2.2.3 "Long Header Fields").
            if !Self.isBlank(line[line.startIndex]) { header.append(Self.lf) }
            header += line
        }
        return true
    }

    /// Whether the header is that of a file.
    private var hasFileName: Bool {
        header.split(separator: Self.lf).contains { line in
            let name = line.prefix { $0 != UInt8(ascii: ":") }
            guard String(decoding: name, as: UTF8.self).lowercased() == "content-disposition" else { return false }
            let disposition = HeaderValue(String(decoding: line.dropFirst(name.count + 1), as: UTF8.self))
            let fileName = disposition.parameters["filename"] ?? disposition.parameters["filename*"] ?? ""
            return disposition.value == "form-data" && !fileName.isEmpty
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
