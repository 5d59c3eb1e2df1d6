import ImageCodecsCore
import Testing

@Suite struct ReproduciblePowersTests {
    @Test func powersAgreeWithRootsAndProducts() {
        #expect(abs(ReproduciblePowers.power(2, 0.5) - 2.0.squareRoot()) < 1e-13)
        #expect(abs(ReproduciblePowers.power(3, 4) - 81) < 1e-11)
        #expect(abs(ReproduciblePowers.power(10, -2) - 0.01) < 1e-15)
        #expect(ReproduciblePowers.log2(8) == 3)
        #expect(ReproduciblePowers.exp2(-3) == 0.125)
        #expect(ReproduciblePowers.power(0, 2) == 0)
        for x in stride(from: 0.001, to: 50, by: 0.37) {
            #expect(abs(ReproduciblePowers.exp2(ReproduciblePowers.log2(x)) / x - 1) < 1e-13)
        }
    }

    @Test func resultsBeyondTheRangeOfNumbersAreInfiniteOrNothing() {
        #expect(ReproduciblePowers.power(65536, 100) == .infinity)
        #expect(ReproduciblePowers.power(1e-10, 100) == 0)
    }
}
