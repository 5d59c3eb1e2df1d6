import CodecTestSupport
import Foundation
import ImageCodecsCore
import ImageInspection
import Testing

@Suite struct GIFMapTests {
    private func bits(_ map: FileMap, _ name: String) -> Int {
        map.account.entries.first { $0.name == name }?.bitCount ?? 0
    }

    /// One row of four equal pixels with codes of three bits: 100 clear, 000 pixel, 110 two pixels (the code that is just being
    /// made), 000 pixel; then codes have four bits: 0101 end. First bit lowest: 00110100 = 0x84 ..., worked out by hand:
    /// values 4, 0, 6, 0 at bits 0, 3, 6, 9 and 5 at bit 12.
    @Test func codesHaveTheBitsThatTheTableAsksFor() throws {
        let codes = 4 | 0 << 3 | 6 << 6 | 0 << 9 | 5 << 12
        var bytes = Array("GIF89a".utf8) + [4, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        bytes += [0x2C, 0, 0, 0, 0, 4, 0, 1, 0, 0, 2, 2, UInt8(codes & 255), UInt8(codes >> 8), 0, 0x3B]
        let map = try FileMap(of: ImageData(bytes))
        #expect(!map.remarks.contains { $0.isProblem }, "\(map.remarks)")
        #expect(bits(map, "pixels") == 9 && bits(map, "clear codes") == 3)
        #expect(map.layers.first { $0.key == "run" }?.values == [1, 2, 2, 1])
        // Two pixels share the three bits of their code.
        #expect(map.layers.first { $0.key == "bits" }?.values == [768, 384, 384, 768])
        #expect(map.account.bitCount == 8 * bytes.count && map.account.bitCount(of: .unknown) == 0)
    }

    @Test func literalsHaveACodeEach() throws {
        let data = ImageData(try Data(contentsOf: Fixture.folder("gif/literals-only.gif")))
        let layer = try #require(try FileMap(of: data).layers.first { $0.key == "run" })
        #expect(layer.values.allSatisfy { $0 == 1 })
    }

    @Test func interlacedRowsAreInTheirPlaces() throws {
        // Every pixel of the image has a code, wherever its row is.
        for name in ["interlaced.gif", "interlaced-3-rows.gif"] {
            let data = ImageData(try Data(contentsOf: Fixture.folder("gif/\(name)")))
            let layer = try #require(try FileMap(of: data).layers.first { $0.key == "run" })
            #expect(layer.values.allSatisfy { $0 >= 1 })
        }
    }
}
