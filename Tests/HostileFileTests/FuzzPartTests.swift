import CodecTestSupport
import FuzzComponents
import HostileFiles
import ImageCodecsCore
import Testing

/// The parts that fuzzers are about: some inputs of each, and those that a fuzzer found to reach more than others.
@Suite struct FuzzPartTests {
    private static let names = Component.all.map(\.name)

    @Test(arguments: names)
    func randomInputsShowNothing(_ name: String) throws {
        let part = try #require(Component.named(name))
        for seed in 0..<(name.contains("-") ? 12 : 60) as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let count = 8 + Int(random.next() % 400)
            #expect(part.violations(random.bytes(count)) == [], "seed \(seed)")
        }
    }

    @Test(arguments: names)
    func inputsThatAFuzzerKeptShowNothing(_ name: String) throws {
        let part = try #require(Component.named(name))
        guard let packed = try? FixtureBytes.read("fuzz/\(name).inputs") else {
            print("no inputs of \(name) in Tests/Fixtures/fuzz: nothing to replay")
            return
        }
        var (rest, count) = (packed[...], 0)
        while rest.count >= 4 {
            let length = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            let input = Array(rest.dropFirst(4).prefix(length))
            #expect(part.violations(input) == [], "input \(count)")
            rest = rest.dropFirst(4 + length)
            count += 1
        }
        #expect(count > 0 && rest.isEmpty)
    }

    /// Larger ones take long; other tests read those.
    private static let largestSeed = 12 << 10

    @Test(arguments: names)
    func fixturesThatAFuzzerStartsFromShowNothing(_ name: String) throws {
        let part = try #require(Component.named(name))
        guard let folder = part.seedFolder else { return }
        var count = 0
        for file in FixtureBytes.names(in: folder) where file.contains(".") && !file.hasSuffix(".json") {
            let bytes = try FixtureBytes.read("\(folder)/\(file)")
            guard bytes.count <= Self.largestSeed else { continue }
            #expect(part.violations(bytes) == [], "\(file)")
            count += 1
        }
        #expect(count > 5)
    }

    @Test(arguments: FixtureBytes.names(in: "fuzz/found"))
    func inputsThatShowedSomethingShowNothingAnyMore(_ file: String) throws {
        let part = try #require(Component.named(String(file.prefix { $0 != "." })))
        #expect(part.violations(try FixtureBytes.read("fuzz/found/\(file)")) == [])
    }

    @Test(arguments: ["png/badge@2x.png"])
    func filesAreTakenApartIntoUnitsAndPutTogetherAgain(_ name: String) throws {
        let file = try FixtureBytes.read(name)
        let units = try #require(FileUnits(file))
        #expect(units.file == file)
        #expect(units.units.count > 3)
    }

    @Test(arguments: StructuredFormat.allCases)
    func calmFilesOfEveryFormatSurviveBeingTakenApart(_ format: StructuredFormat) throws {
        for seed in 0..<20 as Range<UInt64> {
            var source = DecisionSource(seed: seed)
            source.isCalm = true
            let file = format.file(source)
            guard let picture = try? format.coder.decode(ImageData(file), options: .default) else { continue }
            let units = try #require(FileUnits(file))
            let again = try? format.coder.decode(ImageData(units.file), options: .default)
            #expect(again?.bitmap == picture.bitmap, "seed \(seed)")
        }
    }
}
