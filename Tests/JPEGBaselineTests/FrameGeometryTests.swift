// Counts of blocks, MCUs and samples, against the worked example of T.81 §A.2 and libjpeg's rules.

import ImageCodecsCore
import JPEGBaselineCodec
import Testing

@Suite struct FrameGeometryTests {
    private func components(_ factors: [(Int, Int)]) -> [FrameGeometry.ComponentSpecification] {
        factors.enumerated().map {
            .init(
                identifier: UInt8($0.offset + 1), horizontalSampling: $0.element.0, verticalSampling: $0.element.1,
                quantizationTable: $0.offset == 0 ? 0 : 1)
        }
    }

    @Test func theWorkedExampleHolds() throws {
        let frame = try #require(
            FrameGeometry(
                size: PixelSize(width: 36, height: 28), components: components([(2, 2), (1, 1), (1, 1)])))
        #expect(frame.mcusPerRow == 3 && frame.mcuRows == 2)
        #expect(frame.blocksPerMCURow == 18 && frame.paddedBlockCount == 36)
        let luma = frame.components[0]
        #expect(luma.widthInBlocks == 5 && luma.heightInBlocks == 4)
        #expect(luma.paddedWidthInBlocks == 6 && luma.paddedHeightInBlocks == 4)
        #expect(luma.paddedWidthInSamples == 48 && luma.rowsPerMCURow == 16)
        let chroma = frame.components[1]
        #expect(chroma.widthInBlocks == 3 && chroma.heightInBlocks == 2)
        #expect(chroma.widthInSamples == 18 && chroma.heightInSamples == 14)
        #expect(chroma.horizontalExpansion == 2 && chroma.verticalExpansion == 2)

        let interleaved = ScanGeometry(components: [0, 1, 2], in: frame)
        #expect(interleaved.mcusPerRow == 3 && interleaved.mcuRows == 2 && interleaved.blocksPerMCU == 6)
        let lumaAlone = ScanGeometry(components: [0], in: frame)
        #expect(lumaAlone.mcusPerRow == 5 && lumaAlone.mcuRows == 4 && lumaAlone.blocksPerMCU == 1)
        #expect(lumaAlone.mcuRowsPerFrameMCURow == 2)
    }

    @Test func subsampledComponentsTakeLargerBlocksAtReducedScale() throws {
        let frame = try #require(
            FrameGeometry(
                size: PixelSize(width: 36, height: 28), components: components([(2, 2), (1, 1), (1, 1)]),
                scale: .half))
        #expect(frame.outputSize == PixelSize(width: 18, height: 14))
        #expect(frame.components.map(\.dctSize) == [4, 8, 8])
        #expect(frame.components.map(\.horizontalExpansion) == [1, 1, 1])
        #expect(frame.components.map(\.widthInSamples) == [18, 18, 18])
    }

    @Test func blocksGrowOnlyWhereBothDirectionsAllowIt() throws {
        let frame = try #require(
            FrameGeometry(
                size: PixelSize(width: 33, height: 17), components: components([(2, 1), (1, 1), (1, 1)]),
                scale: .eighth))
        #expect(frame.components.map(\.dctSize) == [1, 1, 1])
        #expect(frame.components[1].horizontalExpansion == 2 && frame.components[1].verticalExpansion == 1)
        #expect(frame.outputSize == PixelSize(width: 5, height: 3))
    }

    @Test func aSingleComponentIsNeverInterleaved() throws {
        let frame = try #require(
            FrameGeometry(size: PixelSize(width: 17, height: 9), components: components([(2, 2)])))
        #expect(frame.mcusPerRow == 3 && frame.mcuRows == 2)
        #expect(frame.components[0].widthInBlocks == 3 && frame.components[0].horizontalSampling == 1)
    }

    @Test func illegalFramesHaveNoGeometry() {
        let size = PixelSize(width: 8, height: 8)
        #expect(FrameGeometry(size: size, components: []) == nil)
        #expect(FrameGeometry(size: size, components: components([(5, 1)])) == nil)
        #expect(FrameGeometry(size: size, components: components([(0, 1)])) == nil)
        #expect(FrameGeometry(size: size, components: components([(3, 1), (2, 1)])) == nil)
        #expect(FrameGeometry(size: PixelSize(width: 0, height: 8), components: components([(1, 1)])) == nil)
        #expect(FrameGeometry(size: PixelSize(width: 8, height: 65536), components: components([(1, 1)])) == nil)
    }

    @Test func theLargestFrameIsCountedWithoutOverflow() throws {
        let frame = try #require(
            FrameGeometry(
                size: PixelSize(width: 65535, height: 65535), components: components([(4, 4), (4, 4), (4, 4), (4, 4)])))
        #expect(frame.paddedBlockCount == 4 * 8192 * 8192)
    }
}
