import ImageCodecsCore
import Testing

@Suite struct MetadataBudgetTests {
    private static let entry = MetadataBudget.entryByteCount

    private func limits(_ maxMetadataByteCount: Int) -> DecodingLimits {
        var limits = DecodingLimits.default
        limits.maxMetadataByteCount = maxMetadataByteCount
        return limits
    }

    @Test func anItemCostsItsContentAndItsPlace() throws {
        let meter = MemoryMeter()
        var budget = MetadataBudget(limits: limits(10_000), meter: meter)
        #expect(try budget.charge(100))
        #expect(try budget.charge(0))
        #expect(budget.byteCount == 100 + 2 * Self.entry)
        #expect(budget.remaining == 10_000 - budget.byteCount)
        #expect(meter.current == budget.byteCount)
    }

    @Test func theLimitIsMetToTheByte() throws {
        var budget = MetadataBudget(limits: limits(1000))
        #expect(try budget.charge(1000 - Self.entry))
        #expect(budget.remaining == 0)
        budget = MetadataBudget(limits: limits(1000))
        #expect(throws: ImageError.limitExceeded(.metadata, requested: 1001, allowed: 1000)) {
            try budget.charge(1001 - Self.entry)
        }
        #expect(budget.byteCount == 0)
    }

    @Test func absurdCountsAndLimitsDoNotOverflow() throws {
        var budget = MetadataBudget(limits: limits(.max))
        #expect(throws: ImageError.self) { try budget.charge(.max) }
        var none = MetadataBudget(limits: limits(-5))
        #expect(none.remaining == 0)
        #expect(throws: ImageError.self) { try none.charge(0) }
    }

    @Test func anInspectionCountsAllButKeepsLittle() throws {
        let meter = MemoryMeter()
        var inspection = MetadataBudget(limits: limits(.max), isInspection: true, meter: meter)
        var decode = MetadataBudget(limits: limits(.max))
        let size = 3 << 20
        #expect(try inspection.charge(size))
        #expect(try !inspection.charge(size))
        // A small item still fits after a large one that did not.
        #expect(try inspection.charge(10))
        for byteCount in [size, size, 10] { _ = try decode.charge(byteCount) }
        #expect(inspection.byteCount == decode.byteCount)
        #expect(meter.current == size + 10 + 2 * Self.entry)
        #expect(meter.peak <= MetadataBudget.inspectionByteCount)
    }

    @Test func anInspectionRefusesWhatADecodeRefuses() throws {
        for isInspection in [false, true] {
            var budget = MetadataBudget(limits: limits(5 << 20), isInspection: isInspection)
            _ = try budget.charge(3 << 20)
            #expect(throws: ImageError.self) { try budget.charge(3 << 20) }
        }
    }

    @Test func memoryIsGivenBackWithTheLastCopy() throws {
        let meter = MemoryMeter()
        do {
            var original = MetadataBudget(limits: limits(.max), meter: meter)
            _ = try original.charge(1000 - Self.entry)
            var copy = original
            #expect(meter.current == 1000)
            // Each of the two may go on by itself, so each is counted.
            _ = try copy.charge(500 - Self.entry)
            #expect(meter.current == 2500)
            _ = try original.charge(100 + Self.entry)
            #expect(meter.current == 2500 + 100 + 2 * Self.entry)
            #expect(original.byteCount == 1100 + 2 * Self.entry)
            #expect(copy.byteCount == 1500)
        }
        #expect(meter.current == 0)
    }

    @Test func whatTheMeterRefusesIsAnError() throws {
        let meter = MemoryMeter(limit: 1000)
        var budget = MetadataBudget(limits: limits(.max), meter: meter)
        #expect(throws: ImageError.self) { try budget.charge(1000) }
        #expect(meter.current == 0)
    }
}
