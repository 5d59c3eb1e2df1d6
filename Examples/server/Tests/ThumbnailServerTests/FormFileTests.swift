import Hummingbird
import NIOCore
import Testing
import ThumbnailServer

/// The type of the forms, the head of a part that is a file, and that of one that is not.
private let edgeType = "multipart/form-data; boundary=edge"
private let fileHead = "--edge\r\nContent-Disposition: form-data; name=a; filename=b\r\n\r\n"
private let textHead = "--edge\r\nContent-Disposition: form-data; name=a\r\n\r\n"

/// RFC 7578, RFC 2046 §5.1.1 "Common Syntax".
@Suite struct FormFileTests {
    /// The file of a form that comes in pieces of some length.
    private func file(of form: String, type: String = edgeType, pieceLength: Int = 1 << 16) throws -> String {
        var parser = try #require(try FormFile(contentType: type))
        var (rest, file) = (ByteBuffer(string: form), ByteBuffer())
        while let piece = rest.readSlice(length: min(pieceLength, max(rest.readableBytes, 1))) {
            file.writeImmutableBuffer(try parser.bytes(in: piece.readableBytesView))
        }
        try parser.finish()
        return String(buffer: file)
    }

    @Test(arguments: [
        (fileHead + "content\r\n--edge--", "content"),
        (fileHead + "\r\n--edge--", ""),
        (fileHead + "\r\r\n\r\n--edg\r\n--edgy\r\n-\r\n\r\n--edge--", "\r\r\n\r\n--edg\r\n--edgy\r\n-\r\n"),
        ("before\r\n" + fileHead + "content\r\n--edge \t \r\nafter", "content"),
        (textHead + "a\r\n" + fileHead + "content\r\n--edge--", "content"),
        (textHead + "a\r\n--edge\r\n\r\n\r\n" + fileHead + "content\r\n--edge--", "content"),
        (fileHead + "content\r\n" + fileHead + "another\r\n--edge--", "content"),
        (
            "--edge\r\ncontent-DISPOSITION:form-data;\r\n filename*=UTF-8''b\r\nX: y\r\n\r\ncontent\r\n--edge--",
            "content"
        ),
    ])
    func theFirstFileIsFoundInPiecesOfAnyLength(form: String, content: String) throws {
        for pieceLength in [1, 2, 3, 7, 50, 1 << 16] {
            #expect(try file(of: form, pieceLength: pieceLength) == content)
        }
    }

    @Test(arguments: [
        "", "--edge--", "--edge", fileHead + "content", fileHead + "content\r\n--edge", textHead + "a\r\n--edge--",
        "--edge\r\nContent-Disposition: form-data; filename=\"\"\r\n\r\n\r\n--edge--",
        "--edge\r\nContent-Disposition: attachment; filename=a\r\n\r\n\r\n--edge--",
        "--edge\r\nX: y\rZ\r\n\r\n\r\n--edge--", "--edge\r\n" + String(repeating: "x", count: 9000),
        "--edge\r\n" + String(repeating: "a: b\r\n", count: 3000),
        String(repeating: "\r\n--edge" + String(repeating: " ", count: 70), count: 100),
    ])
    func otherFormsAreBadRequests(form: String) {
        for pieceLength in [1, 1 << 16] {
            let error = #expect(throws: HTTPError.self) { try file(of: form, pieceLength: pieceLength) }
            #expect(error?.status == .badRequest)
        }
    }

    @Test func boundariesHaveOneTo70Bytes() throws {
        for type in ["", "image/png", "multipart/mixed; boundary=a"] { #expect(try FormFile(contentType: type) == nil) }
        #expect(try FormFile(contentType: nil) == nil)
        for boundary in ["", ";boundary=", ";boundary=\"\"", ";boundary=" + String(repeating: "a", count: 71)] {
            #expect(throws: HTTPError.self) { try FormFile(contentType: "multipart/form-data" + boundary) }
        }
        let long = String(repeating: "a", count: 70)
        let form = fileHead.replacing("edge", with: long) + "content\r\n--\(long)--"
        #expect(try file(of: form, type: "Multipart/Form-Data; Boundary=\"\(long)\"") == "content")
    }
}
