import ImageCodecs
import ImageCodecsCore
import ImageLoading
import Testing

@Suite struct ImageRequestTests {
    @Test func aRequestThatSaysNothingIsForThePictureAsItIs() {
        let request = ImageRequest("test:a")
        #expect(request.priority == .normal && request.transformations.isEmpty && request.frames == .lazy)
        #expect(request.cachePolicy == .all && !request.isOnlyFromCache)
        #expect(request.source == nil && request.sourceKey == nil)
        #expect(!request.cachePolicy.contains(.revalidates))
    }

    @Test func prioritiesAreInTheirOrder() {
        let priorities = ImageRequest.Priority.allCases
        #expect(priorities == priorities.sorted() && priorities.first == .veryLow && priorities.last == .veryHigh)
    }
}
