// Which ways to write a picture are worth it: by what kind of picture it is, and how much time there is.

import ImageCodecsCore

/// The ways that an effort tries; the shortest result is taken.
enum EncodingStrategy {
    /// At least one.
    static func attempts(
        for picture: PixelPlane, effort: EncodingOptions.Effort, meter: MemoryMeter?, _ work: inout WorkGuard
    ) throws(ImageError) -> [EncodingAttempt] {
        let colors = try PictureColors(picture, meter: meter, &work)
        let survey = try PictureSurvey(
            picture, colors, rowCount: PictureSurvey.rowCount(effort), &work)
        var predicted = taken(picture.size, effort)
        predicted.subtractsGreen = survey.isBetterWithoutGreen
        // Of what is new nearly everywhere, copies save next to nothing.
        switch effort {
        case .fast where survey.newPixelPercentage < 75: predicted.parser = .fast
        case .default where survey.newPixelPercentage >= 75: predicted.parser = .none
        default: break
        }
        let predictedBitCount = min(survey.predictedBitCount, survey.predictedAloneBitCount)
        let drawn = drawn(picture.size, effort)
        guard let colors else {
            if effort == .best {
                return bestAttempts(
                    predicted, drawn, survey, leastBitCount: min(predictedBitCount, survey.plainBitCount))
            }
            return [predictedBitCount < survey.plainBitCount ? predicted : drawn]
        }
        var indexed = drawn
        indexed.subtractsGreen = false
        if effort == .default {
            // Few symbols: larger blocks do as well, fewer places too, and no cache needs more of them than there are colours.
            indexed.groupBits = sizeBits(picture.size, least: 5)
            indexed.groups?.roundCount = 1
            indexed.parser.cacheBits = [0, 8]
            indexed.parser.depth.chainLength = 8
            indexed.parser.triedLengthCount = 2
        }
        indexed.table = colors.table(effort == .fast ? .value : .neighbours)
        // Several indices in a pixel: nothing else comes near.
        let isBundled = indexed.table.map { $0.bundleBits > 0 } ?? false
        guard effort == .best else {
            return [predictedBitCount < survey.indexBitCount && !isBundled ? predicted : indexed]
        }
        var attempts = [indexed]
        for order in IndexingPalette.Order.allCases where order != .neighbours {
            indexed.table = colors.table(order)
            attempts.append(indexed)
        }
        if !isBundled {
            attempts += bestAttempts(
                predicted, drawn, survey,
                leastBitCount: min(predictedBitCount, survey.plainBitCount, survey.indexBitCount))
        }
        return attempts
    }

    /// The ways without a palette that may be the best.
    ///
    /// - Parameter leastBitCount: the least that the survey found for any way.
    private static func bestAttempts(
        _ predicted: EncodingAttempt, _ drawn: EncodingAttempt, _ survey: PictureSurvey, leastBitCount: Int
    ) -> [EncodingAttempt] {
        var attempts: [EncodingAttempt] = []
        // What is far from the least is not tried. Where little is new, copies save most, and they are lost by predictions.
        if survey.plainBitCount < leastBitCount + leastBitCount / 4 { attempts.append(drawn) }
        let limit = survey.newPixelPercentage < 10 ? leastBitCount : 2 * leastBitCount
        if min(survey.predictedBitCount, survey.predictedAloneBitCount) <= limit {
            attempts.append(predicted)
            var other = predicted
            other.predictorBits = max(2, predicted.predictorBits - 1)
            attempts.append(other)
        }
        return attempts
    }

    /// Photographs, and all that is smooth.
    private static func taken(_ size: PixelSize, _ effort: EncodingOptions.Effort) -> EncodingAttempt {
        var attempt = EncodingAttempt(effort: effort)
        attempt.subtractsGreen = true
        attempt.transformsColor = true
        switch effort {
        case .fast:
            attempt.prediction = PredictorChoice.Search(modes: [11, 12, 7, 1, 2], rowStep: 2)
            attempt.predictorBits = sizeBits(size, least: 4)
            attempt.colorBits = sizeBits(size, least: 5)
            attempt.groupBits = sizeBits(size, least: 4)
            attempt.groups = BlockGroups.Effort(groupCount: 16, roundCount: 1)
            attempt.parser = .none
        case .default:
            attempt.prediction = PredictorChoice.Search(modes: [11, 12, 13, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], rowStep: 1)
            attempt.predictorBits = sizeBits(size, least: 3)
            attempt.colorBits = sizeBits(size, least: 4)
            attempt.groupBits = sizeBits(size, least: 3)
            attempt.groups = BlockGroups.Effort(groupCount: 64, roundCount: 3)
            attempt.parser = .default
        case .best:
            attempt = taken(size, .default)
            attempt.effort = effort
            attempt.groups = BlockGroups.Effort(groupCount: largestGroupCount, roundCount: 6)
            attempt.parser = .best
        }
        return attempt
    }

    /// Drawings, screens, and all that repeats.
    private static func drawn(_ size: PixelSize, _ effort: EncodingOptions.Effort) -> EncodingAttempt {
        var attempt = EncodingAttempt(effort: effort)
        attempt.subtractsGreen = true
        attempt.groupBits = sizeBits(size, least: 4)
        switch effort {
        case .fast:
            attempt.parser = .fast
        case .default:
            attempt.groups = BlockGroups.Effort(groupCount: 64, roundCount: 3)
            attempt.parser = .default
        case .best:
            attempt.groups = BlockGroups.Effort(groupCount: largestGroupCount, roundCount: 6)
            attempt.parser = .bestOfDrawings
        }
        return attempt
    }

    /// The side of blocks, as a power of two: so large that there are not too many of them.
    private static func sizeBits(_ size: PixelSize, least: Int) -> Int {
        var bits = least
        while bits < 9, BlockGrid(size: size, sizeBits: bits).count > largestBlockCount { bits += 1 }
        return bits
    }

    private static let largestBlockCount = 1 << 16

    /// The most groups of codes that a picture gets.
    static let largestGroupCount = 128
}
