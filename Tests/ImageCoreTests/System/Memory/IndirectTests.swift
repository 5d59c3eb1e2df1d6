import ImageCodecsCore
import Testing

@Suite struct IndirectTests {
    @Test func theFirstOfTwoCopiesThatChangesIsAnother() {
        var first = Indirect([1, 2, 3])
        let second = first
        first.value.append(4)
        #expect(first.value == [1, 2, 3, 4])
        #expect(second.value == [1, 2, 3])
        first.value.append(5)
        #expect(first.value == [1, 2, 3, 4, 5])
    }
}
