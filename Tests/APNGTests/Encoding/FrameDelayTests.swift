import APNGCodec
import CodecTestSupport
import ImageCodecsCore
import Testing

@Suite struct FrameDelayTests {
    private func fraction(_ duration: Duration) -> [UInt16] {
        let delay = FrameDelay(duration)
        return [delay.numerator, delay.denominator]
    }

    @Test func millisecondsAreExact() {
        for milliseconds in Array(0...2000) + Array(stride(from: 2001, through: 65535, by: 97)) + [65535] {
            #expect(fraction(.milliseconds(milliseconds)) == [UInt16(milliseconds), 1000])
            #expect(FrameDelay(.milliseconds(milliseconds)).duration == .milliseconds(milliseconds))
        }
    }

    @Test func fractionsOfASecondAreFound() {
        for denominator in [3, 7, 24, 30, 60, 1001, 65535] {
            #expect(fraction(.seconds(1) / denominator) == [1, UInt16(denominator)])
        }
        #expect(fraction(.seconds(1001) / 30000) == [1001, 30000])
    }

    @Test func everyFractionComesBack() {
        var random = SeededRandom(seed: 9)
        for _ in 0..<20_000 {
            let (numerator, denominator) = (Int(random.next() >> 48), Int(random.next() >> 48) + 1)
            guard denominator < 65536 else { continue }
            let read = FrameDelay(.seconds(numerator) / denominator)
            #expect(Int(read.numerator) * denominator == numerator * Int(read.denominator))
        }
    }

    @Test func longDurationsAreTheNearestThereIs() {
        #expect(fraction(.seconds(100)) == [100, 1])
        #expect(fraction(.milliseconds(100_500)) == [201, 2])
        #expect(fraction(.seconds(65535)) == [65535, 1])
        #expect(fraction(.seconds(1_000_000)) == [65535, 1])
        #expect(fraction(.milliseconds(65_534_900)) == [65535, 1])
    }

    @Test func whatIsNegativeIsZero() {
        #expect(fraction(.zero) == [0, 1000])
        #expect(fraction(.milliseconds(-5)) == [0, 1000])
    }

    @Test func noFractionIsNearer() {
        var random = SeededRandom(seed: 3)
        for _ in 0..<200 {
            let attoseconds = Int64(random.next() >> 8 % 1_000_000_000_000_000_000)
            let seconds = Int64(random.next() % 300)
            let duration = Duration(secondsComponent: seconds, attosecondsComponent: attoseconds)
            let wanted = Double(seconds) + Double(attoseconds) / 1e18
            let delay = FrameDelay(duration)
            let error = abs(Double(delay.numerator) / Double(delay.denominator) - wanted)
            for denominator in 1...65535 {
                let numerator = (wanted * Double(denominator)).rounded()
                guard numerator <= 65535 else { break }
                #expect(abs(numerator / Double(denominator) - wanted) >= error - 1e-13)
            }
        }
    }
}
