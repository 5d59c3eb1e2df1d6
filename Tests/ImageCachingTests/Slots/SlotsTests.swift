import ImageCaching
import Testing

@Suite struct SlotsTests {
    @Test func aPlaceThatAnElementHasLeftIsTakenByTheNext() {
        var slots = Slots<String>()
        let places = ["a", "b"].map { slots.insert($0) }
        #expect(places == [0, 1] && slots.count == 2)
        #expect(slots[1] == "b" && slots.hasPlace(1) && !slots.hasPlace(2) && !slots.hasPlace(-1))
        slots.remove(0, leaving: "gone")
        #expect(slots.count == 1 && slots[0] == "gone" && slots.nextPlace == 0)
        let place = slots.insert("c")
        #expect(place == 0 && slots.nextPlace == 2)
        slots[0].append("d")
        #expect(slots[0] == "cd")
    }
}
