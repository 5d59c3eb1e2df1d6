import ImageCodecsCore
import JPEGBaselineCodec
import JPEGCodec
import Testing

@Suite struct ScanScriptTests {
    private func header(_ component: UInt8?, _ ss: UInt8, _ se: UInt8, _ high: UInt8, _ low: UInt8) throws -> ScanHeader
    {
        let frame: [UInt8] = [8, 0, 8, 0, 8, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]
        let names: [UInt8] = component.map { [$0] } ?? [1, 2, 3]
        var body = [UInt8(names.count)]
        for name in names { body += [name, 0] }
        body += [ss, se, high << 4 | low]
        return try ScanHeader(
            body: body.span, frame: JPEGFrameHeader(marker: .sof2, body: frame.span, offset: 0), offset: 0)
    }

    private func accepts(_ scans: [ScanHeader], _ strictness: DecodingOptions.Strictness = .strict) -> ScanScript? {
        var script = ScanScript(componentCount: 3)
        for scan in scans {
            do {
                if try script.irregularity(of: scan) != nil, strictness == .strict { return nil }
                script.record(scan)
            } catch {
                return nil
            }
        }
        return script
    }

    @Test func aWholeScriptIsComplete() throws {
        var scans = [try header(nil, 0, 0, 0, 1)]
        for name in UInt8(1)...3 { scans.append(try header(name, 1, 63, 0, 1)) }
        #expect(accepts(scans)?.isComplete == false)
        scans.append(try header(nil, 0, 0, 1, 0))
        for name in UInt8(1)...3 { scans.append(try header(name, 1, 63, 1, 0)) }
        #expect(accepts(scans)?.isComplete == true)
    }

    @Test func scansThatNoScriptCanHaveAreRefusedAlways() throws {
        for strictness in DecodingOptions.Strictness.allCases {
            #expect(accepts([try header(nil, 0, 5, 0, 0)], strictness) == nil)
            #expect(accepts([try header(nil, 1, 5, 0, 0)], strictness) == nil)
            #expect(accepts([try header(1, 6, 5, 0, 0)], strictness) == nil)
            #expect(accepts([try header(1, 1, 64, 0, 0)], strictness) == nil)
            #expect(accepts([try header(1, 0, 0, 3, 1)], strictness) == nil)
            #expect(accepts([try header(1, 0, 0, 0, 14)], strictness) == nil)
        }
    }

    @Test func scansOutOfOrderAreRefusedUnderStrict() throws {
        let outOfOrder = [
            [try header(1, 1, 63, 0, 0)],
            [try header(nil, 0, 0, 0, 0), try header(nil, 0, 0, 0, 0)],
            [try header(nil, 0, 0, 0, 2), try header(nil, 0, 0, 1, 0)],
        ]
        for scans in outOfOrder {
            #expect(accepts(scans) == nil)
            #expect(accepts(scans, .tolerant) != nil)
        }
    }

    @Test func whatAScanBringsIsNotThereBeyondIt() throws {
        let nothing = [Int8](repeating: -1, count: 9)
        let dc = try header(nil, 0, 0, 0, 1)
        let first = try #require(accepts([dc])?.delivered)
        #expect(first.allSatisfy { $0.reached == [1] + nothing && $0.beyond == [-1] + nothing })
        let second = try #require(accepts([dc, try header(1, 1, 5, 0, 2)])?.delivered)
        #expect(second[0].reached == [1, 2, 2, 2, 2, 2, -1, -1, -1, -1] && second[0].beyond == [1] + nothing)
        // As libjpeg-turbo has it: of the others, what was known before the first scan counts as all.
        #expect(second[1].reached == [1] + nothing && second[1].beyond == Array(repeating: 0, count: 10))
    }
}
