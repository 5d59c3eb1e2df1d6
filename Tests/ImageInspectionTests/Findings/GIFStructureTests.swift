import ImageCodecsCore
import ImageInspection
import Testing
import imagetool

/// What is found wrong with the blocks of a GIF file.
@Suite struct GIFStructureTests {
    private func block(_ name: String, _ details: [String: Int] = [:], at offset: Int = 0) -> FileListing.Part {
        FileListing.Part(
            name: name, offset: offset, byteCount: 0, damage: nil, summary: "",
            details: details.map { FileListing.Detail($0.key, .count($0.value)) })
    }

    private func findings(_ parts: [FileListing.Part], trailing: Int = 0, isCut: Bool = false) -> [String] {
        let listing = FileListing(
            format: .gif, vocabulary: FileListing.Vocabulary(part: "block", name: "name"), parts: parts,
            trailingByteCount: trailing, isCut: isCut)
        return StructureFindings(listing, ImageData([])).allLines
    }

    private var header: FileListing.Part { block("header", ["width": 10, "height": 10]) }
    private var end: FileListing.Part { block("trailer", at: 99) }

    private func image(
        _ x: Int, _ y: Int, _ width: Int, _ height: Int, codeSize: Int = 2
    ) -> FileListing.Part {
        block("image", ["x": x, "y": y, "width": width, "height": height, "minimumCodeSize": codeSize], at: 20)
    }

    @Test func soundFilesAreFine() {
        let parts = [
            header, block("global color table"), block("application"), block("graphic control"), image(0, 0, 10, 10),
            block("comment"), block("graphic control"), image(4, 5, 6, 5), block("graphic control"),
            block("plain text"), end,
        ]
        #expect(findings(parts).isEmpty)
    }

    @Test func imagesThatLeaveTheScreenAreFound() {
        let finding = "byte 20: image: 6x5+5+5 is not inside the screen of 10x10"
        #expect(findings([header, image(5, 5, 6, 5), end]) == [finding])
        // Such a screen is as large as its first image.
        #expect(findings([block("header", ["width": 0, "height": 0]), image(5, 5, 6, 5), end]).isEmpty)
    }

    @Test func illegalSizesAreFound() {
        #expect(findings([header, image(0, 0, 1, 1, codeSize: 12), end]) == ["byte 20: image: minimum code size 12"])
        #expect(findings([header, image(0, 0, 0, 1), end]) == ["byte 20: image: 0x1 pixels"])
    }

    @Test func missingBlocksAreFound() {
        #expect(findings([header, image(0, 0, 1, 1)]) == ["the trailer is missing"])
        #expect(findings([header, end]) == ["there is no image"])
        #expect(findings([header], isCut: true).isEmpty)
    }

    @Test func whatStandsBehindTheTrailerIsFound() {
        #expect(findings([header, image(0, 0, 1, 1), end], trailing: 3) == ["3 bytes after the trailer"])
        let late = findings([header, image(0, 0, 1, 1), end, block("comment", at: 100)])
        #expect(late == ["byte 100: comment after the trailer"])
    }

    @Test func aGraphicControlWithoutImageIsFound() {
        let control = block("graphic control", at: 12)
        let finding = "byte 12: graphic control: no image follows it"
        #expect(findings([header, control, control, image(0, 0, 1, 1), end]) == [finding])
        #expect(findings([header, image(0, 0, 1, 1), control, end]) == [finding])
    }
}
