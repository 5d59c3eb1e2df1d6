import ImageCodecsCore
import Testing

@Suite struct FormatSignatureTests {
    @Test func aHeaderHasOneSignature() {
        for signature in FormatSignature.all {
            let bytes = signature.bytes
            for other in FormatSignature.all {
                #expect((other.match(bytes.span) == .whole) == (other.bytes == bytes))
            }
            #expect(ImageFormat(sniffing: bytes.span) == signature.format)
        }
    }

    @Test func theStartOfASignatureIsToldFromOtherBytes() {
        for signature in FormatSignature.all {
            for count in 0..<signature.byteCount {
                var start = Array(signature.bytes.prefix(count))
                #expect(signature.match(start.span) == .start)
                guard count > 0 else { continue }
                start[0] ^= 1
                #expect(signature.match(start.span) == .none)
            }
            #expect(signature.match((signature.bytes + [1, 2, 3]).span) == .whole)
        }
    }

    @Test func anyLengthIsAcceptedInRIFF() {
        let header = Array("RIFF".utf8) + [9, 8, 7, 6] + Array("WEBP".utf8)
        #expect(FormatSignature.webP.match(header.span) == .whole)
        #expect(FormatSignature.webP.byteCount == 12)
    }
}
