// What encoding a picture holds at once, for planning; the meter is what limits it.
//
//   survey ──▶ transforms ──▶ copies are found ──▶ the cheapest way ──▶ symbols of blocks ──▶ groups ──▶ bitstream ──▶ handed out
//
// What a step needs is given back before the next one, but for the picture, which transforms change in its place, and what was found.

package import ImageCodecsCore

extension VP8LEncoder {
    /// Bytes that encoding holds at most, the bitstream included. Saturates.
    ///
    /// - Parameter channelCount: channels that are not the same in all pixels: 4, or 1 for a plane of alpha.
    package static func byteCount(
        _ size: PixelSize, _ effort: EncodingOptions.Effort, channelCount: Int = 4
    ) -> Int {
        let pixelCount = size.pixelCount ?? .max
        guard pixelCount <= largestSide * largestSide else { return .max }
        let picture = PixelPlane.byteCount(size)
        // Codes of noise take as many bits as its channels have.
        let bitstream = channelCount * pixelCount + (1 << 17)
        let isSmall = EncodingStrategy.isSmall(size, effort)
        var held = picture
        // Where several ways are tried, the picture is copied for each but the last, and the shortest bitstream so far is kept.
        if isSmall || effort == .best { held += picture }
        if isSmall && effort != .fast || effort == .best { held += bitstream }
        // With one look, copies are taken as they are found, and have five pixels at least.
        let looksOnce = EncodingStrategy.looksOnce(size, effort)
        let found = 4 * (looksOnce ? PixelParser.windowPixelCount : pixelCount)
        let copies = CopyList.byteCount(pixelCount: looksOnce ? pixelCount / 2 : pixelCount)
        let chains = looksOnce ? 0 : 4 * PixelMatchKernel.chainCount(pixelCount)
        let search = 4 * PixelMatchKernel.tableCount(pixelCount) + chains + found + copies
        let way =
            looksOnce
            ? 0 : found + copies + PixelPath.byteCount(pixelCount: min(pixelCount, PixelParser.segmentPixelCount))
        // What is in copies has fewer symbols by more than the copies take, but for what of a piece is not used.
        let piece = CopyList.pieceByteCount(pixelCount: pixelCount)
        let grid = EncodingStrategy.groupGrid(size, effort)
        let symbolCount = PixelSymbols.count(cacheBits: PixelParser.largestCacheBits(effort))
        let groups = BlockGroups.byteCount(grid, EncodingStrategy.largestGroupCount(effort), symbolCount: symbolCount)
        let symbols =
            (looksOnce ? 0 : found) + BlockSymbols.byteCount(grid, symbolCount: symbolCount, channelCount: channelCount)
            + max(BlockSymbols.rowByteCount(grid, symbolCount: symbolCount), groups) + piece
        // Near-lossless pictures, and the pieces of the bitstream beside the whole, are second planes.
        let steps = [
            LongRepeats.byteCount(pixelCount: pixelCount), picture, search, way, symbols,
            (looksOnce ? piece : copies) + bitstream + groups, 2 * bitstream - picture,
        ]
        return held + (steps.max() ?? 0) + (1 << 16)
    }
}
