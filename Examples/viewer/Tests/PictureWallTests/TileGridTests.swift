import PictureWall
import Testing

@Suite struct TileGridTests {
    private func grid(count: Int = 100) -> TileGrid {
        var grid = TileGrid(count: count, side: 100, gap: 10)
        (grid.width, grid.height) = (450, 300)
        return grid
    }

    @Test func rowsHaveAsManySquaresAsFit() {
        #expect(grid().columnCount == 4)
        #expect(grid().rowCount == 25)
        #expect(grid(count: 101).rowCount == 26)
        #expect(grid().maxOffset == 25 * 110 + 10 - 300)
        #expect(TileGrid(count: 3, side: 100, gap: 10).columnCount == 1)
        #expect(grid(count: 4).maxOffset == 0)
    }

    @Test func exactlyThoseSquaresAreVisibleThatCutTheWindow() {
        let grid = grid()
        for offset in 0...grid.maxOffset {
            let seen = (0..<100).filter { index in
                let top = grid.origin(of: index, at: offset).y
                return top < 300 && top + 100 > 0
            }
            let visible = grid.visible(at: offset)
            #expect(seen.allSatisfy(visible.contains))
            #expect(visible.count - seen.count <= 4, "offset \(offset)")
        }
    }

    @Test func aPlaceIsInTheSquareThatIsDrawnThere() {
        let grid = grid()
        for offset in [0, 55, 1_111, grid.maxOffset] {
            for index in grid.visible(at: offset) {
                let origin = grid.origin(of: index, at: offset)
                #expect(grid.index(atX: origin.x, y: origin.y, offset: offset) == index)
                #expect(grid.index(atX: origin.x + 99, y: origin.y + 99, offset: offset) == index)
                #expect(grid.index(atX: origin.x + 100, y: origin.y, offset: offset) != index)
            }
        }
    }

    @Test func aSquareIsScrolledToOnlyIfItIsNotSeenWhole() {
        let grid = grid()
        #expect(grid.offset(showing: 0, from: 0) == 0)
        #expect(grid.offset(showing: 5, from: 0) == 0)
        for index in 0..<100 {
            let offset = grid.offset(showing: index, from: 900)
            let top = grid.origin(of: index, at: offset).y
            #expect(top >= 0 && top + 100 <= 300)
        }
    }
}
