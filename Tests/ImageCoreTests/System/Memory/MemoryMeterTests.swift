import ImageCodecsCore
import Testing

@Suite struct MemoryMeterTests {
    @Test func thePeakIsWhatWasHeldAtOnce() throws {
        let meter = MemoryMeter()
        try meter.reserve(100)
        try meter.reserve(50)
        meter.release(120)
        try meter.reserve(10)
        #expect(meter.current == 40)
        #expect(meter.peak == 150)
    }

    @Test func whatIsRefusedWasNeverHeld() throws {
        let meter = MemoryMeter(limit: 100)
        try meter.reserve(60)
        #expect(throws: ImageError.limitExceeded(.memory, requested: 110, allowed: 100)) { try meter.reserve(50) }
        #expect(meter.current == 60)
        #expect(meter.peak == 60)
        try meter.reserve(40)
        #expect(meter.peak == 100)
    }

    @Test func absurdRequestsDoNotOverflow() throws {
        let meter = MemoryMeter()
        for _ in 0..<8 { #expect(throws: ImageError.self) { try meter.reserve(.max) } }
        #expect(meter.current == 0)
        #expect(meter.peak == 0)
    }

    @Test func reservationsEndWithTheirObject() throws {
        let meter = MemoryMeter(limit: 10)
        do {
            let reservation = try MemoryReservation(byteCount: 10, meter: meter)
            withExtendedLifetime(reservation) { #expect(meter.current == 10) }
        }
        #expect(meter.current == 0)
        #expect(throws: ImageError.self) { try MemoryReservation(byteCount: 11, meter: meter) }
        #expect(meter.current == 0)
    }

    @Test func storageIsCountedWhileItLives() throws {
        let meter = MemoryMeter(limit: 1000)
        do {
            var buffer = try ScratchBuffer(byteCount: 600, filledWith: 3, meter: meter)
            #expect(throws: ImageError.self) { try ScratchBuffer(byteCount: 600, meter: meter) }
            var shared = buffer
            #expect(throws: ImageError.self) { try shared.makeUnique() }
            #expect(meter.current == 600)
            shared = try ScratchBuffer(byteCount: 0, meter: meter)
            buffer.fill(0..<1, with: 4)
            #expect(buffer.withBytes { $0.byte(at: 0) } == 4)
            #expect(buffer.withBytes { $0.byte(at: 1) } == 3)
        }
        #expect(meter.current == 0)
    }

    @Test func metersAreEqualOnlyToThemselves() {
        let meter = MemoryMeter()
        #expect(meter == meter)
        #expect(meter != MemoryMeter())
    }
}
