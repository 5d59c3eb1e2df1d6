// Which ways to write a picture are worth it: by what kind of picture it is, and how much time there is.

import ImageCodecsCore

/// The ways that an effort tries; the shortest result is taken.
enum EncodingStrategy {
    /// At least one.
    static func attempts(
        for picture: PixelPlane, effort: EncodingOptions.Effort, meter: MemoryMeter?, _ work: inout WorkGuard
    ) throws(ImageError) -> [EncodingAttempt] {
        let colors = try PictureColors(picture, meter: meter, &work)
        // One colour: codes of one symbol take nothing.
        if let colors, colors.colors.count == 1 {
            return [EncodingAttempt(subtractsGreen: false, parser: .none, effort: effort)]
        }
        let table = try colors?.table(.neighbours, of: picture, meter: meter, &work)
        let survey = try PictureSurvey(picture, table, rowCount: PictureSurvey.rowCount(effort), meter: meter, &work)
        var predicted = taken(picture.size, effort, isGray: survey.isGray)
        predicted.subtractsGreen = survey.isBetterWithoutGreen
        var drawn = drawn(picture.size, effort)
        drawn.subtractsGreen = survey.isBetterPlainWithoutGreen
        // Of what is new nearly everywhere, copies save next to nothing.
        let hasCopies = survey.newPixelPercentage < 75 || survey.hasRepeats
        switch effort {
        case .fast where hasCopies: predicted.parser = .fast
        case .default where !hasCopies: predicted.parser = .none
        default: break
        }
        let likely = likely(predicted, drawn, table.map { indexed($0, picture.size, effort, survey) }, survey)
        guard isSmall(picture.size, effort) else {
            switch effort {
            case .fast: return [likely]
            case .default:
                // Of few colours so little is left that either search may be the shorter by luck.
                guard let table, table.bundleBits > 0, isSmall(picture.size, .best) else { return [likely] }
                return [likely, indexed(table, picture.size, .fast, survey)]
            case .best: return try bestAttempts(predicted, drawn, colors, picture, survey, meter: meter, &work)
            }
        }
        guard effort != .fast else {
            // Where little is new, as between sprites, copies save most, and they are lost by predictions that leave much.
            let isSmooth = survey.residualBits < repeatingBits
            if table == nil, likely != drawn, survey.isRepetitive || survey.newPixelPercentage < 50 && !isSmooth {
                drawn.parser = .fastOfSmall
                return [likely, drawn]
            }
            // What predictions leave of smooth pictures is so little that it repeats, even where pixels do not. Indices are worth
            // predicting if their differences take fewer bits.
            var copying = likely
            if table?.bundleBits == 0, likely.prediction == nil, survey.fresh.predictedIndex < survey.fresh.index {
                copying = Self.predicted(likely, predicted)
            }
            guard copying.prediction != nil, likely.table != nil || isSmooth else { return [likely] }
            copying.parser = .fastOfSmooth
            return [likely, copying]
        }
        // What is predicted nearly everywhere is a photograph: no other way comes near.
        guard effort == .best || hasCopies || table != nil else { return [likely] }
        return try [likely] + rivals(predicted, drawn, colors, picture, survey, meter: meter, &work)
    }

    /// The way that is likely to be the shortest.
    private static func likely(
        _ predicted: EncodingAttempt, _ drawn: EncodingAttempt, _ indexed: EncodingAttempt?, _ survey: PictureSurvey
    ) -> EncodingAttempt {
        func uniformIfRepetitive(_ attempt: EncodingAttempt) -> EncodingAttempt {
            survey.isRepetitive ? repeating(attempt) : attempt
        }
        guard let indexed, let table = indexed.table else {
            return survey.isPredictable(insteadOf: \.plain, by: \.predicted) ? uniformIfRepetitive(predicted) : drawn
        }
        // Several indices in a pixel: no way without a palette comes near.
        guard table.bundleBits == 0 else { return indexed }
        // The palette takes bits too.
        let predictedIndex = survey.fresh.predictedIndex + 4 * table.colors.count
        let margin = survey.newPixelPercentage < 75 ? predictedIndex / 16 : 0
        if survey.isPredictable(insteadOf: \.index, by: \.predicted),
            survey.fresh.predicted <= predictedIndex - margin
        {
            return uniformIfRepetitive(predicted)
        }
        guard survey.isPredictable(insteadOf: \.index, by: \.predictedIndex) else { return indexed }
        return uniformIfRepetitive(Self.predicted(indexed, predicted))
    }

    /// Other ways that may be the shortest for a small picture, in which the survey sees too little to be sure.
    private static func rivals(
        _ predicted: EncodingAttempt, _ drawn: EncodingAttempt, _ colors: PictureColors?, _ picture: PixelPlane,
        _ survey: PictureSurvey, meter: MemoryMeter?, _ work: inout WorkGuard
    ) throws(ImageError) -> [EncodingAttempt] {
        let effort = predicted.effort
        var attempts: [EncodingAttempt] = []
        var isBundled = false
        if let colors {
            for order in IndexingPalette.Order.allCases where effort == .best || order != .frequency && order != .value
            {
                let table = try colors.table(order, of: picture, meter: meter, &work)
                let indexed = indexed(table, picture.size, effort, survey)
                attempts.append(indexed)
                isBundled = table.bundleBits > 0
                guard order == .adjacency || order == .neighbours else { continue }
                let predictedIndices = Self.predicted(indexed, counted(predicted))
                attempts += [predictedIndices, repeating(predictedIndices), fromLeft(predictedIndices)]
            }
            if isBundled { return attempts }
        }
        var large = counted(predicted)
        large.predictorBits += 1
        large.colorBits += 1
        large.groupBits += 1
        attempts += [drawn, predicted, large, repeating(predicted), fromLeft(predicted)]
        if !survey.isGray {
            large.subtractsGreen.toggle()
            attempts.append(large)
        }
        return attempts
    }

    /// A way whose modes are chosen by how often differences occur.
    private static func counted(_ predicted: EncodingAttempt) -> EncodingAttempt {
        var attempt = predicted
        attempt.prediction?.countsDifferences = true
        return attempt
    }

    /// The ways that may be the best for a large picture.
    private static func bestAttempts(
        _ predicted: EncodingAttempt, _ drawn: EncodingAttempt, _ colors: PictureColors?, _ picture: PixelPlane,
        _ survey: PictureSurvey, meter: MemoryMeter?, _ work: inout WorkGuard
    ) throws(ImageError) -> [EncodingAttempt] {
        guard let colors else { return bestAttempts(predicted, drawn, survey, leastBitCount: survey.fresh.least) }
        var attempts: [EncodingAttempt] = []
        for order in [IndexingPalette.Order.value, .neighbours, .frequency] {
            let table = try colors.table(order, of: picture, meter: meter, &work)
            attempts.append(indexed(table, picture.size, .best, survey))
        }
        let isBundled = attempts[1].table.map { $0.bundleBits > 0 } ?? false
        if survey.fresh.predictedIndex < 2 * survey.fresh.index {
            attempts.append(Self.predicted(attempts[1], predicted))
            if survey.isRepetitive || isBundled { attempts += [repeating(attempts[3]), fromLeft(attempts[3])] }
        }
        if !isBundled {
            attempts += bestAttempts(
                predicted, drawn, survey, leastBitCount: min(survey.fresh.least, survey.fresh.index))
        }
        return attempts
    }

    /// Indices of a palette.
    private static func indexed(
        _ table: IndexingPalette, _ size: PixelSize, _ effort: EncodingOptions.Effort, _ survey: PictureSurvey
    ) -> EncodingAttempt {
        var indexed = drawn(size, effort)
        indexed.subtractsGreen = false
        indexed.table = table
        switch effort {
        case .fast:
            // Dithered: the codes save what copies do not.
            if survey.newPixelPercentage >= 30 { indexed.groups = BlockGroups.Effort(groupCount: 16, roundCount: 1) }
            if !looksOnce(size, effort) { indexed.parser = .fastOfSmall }
        case .default:
            // Few symbols: larger blocks do as well, fewer places too, and no cache needs more of them than there are colours.
            indexed.groupBits = sizeBits(size, least: 5)
            indexed.groups?.roundCount = 1
            guard !isSmall(size, .best) else {
                indexed.parser.depth = PixelSearchDepth(chainLength: 64, niceLength: 64)
                break
            }
            indexed.parser.cacheBits = [0, 8]
            indexed.parser.depth.chainLength = 8
            indexed.parser.triedLengthCount = 2
        case .best:
            // Two indices are where many others were.
            if isSmall(size, effort) { indexed.parser.depth.chainLength = 256 }
        }
        return indexed
    }

    /// Indices of a palette that are predicted as another way does it.
    private static func predicted(_ indexed: EncodingAttempt, _ predicted: EncodingAttempt) -> EncodingAttempt {
        var attempt = indexed
        attempt.prediction = predicted.prediction
        attempt.predictorBits = predicted.predictorBits
        attempt.parser = predicted.parser
        return attempt
    }

    /// A way with predictions that are the same everywhere: what repeats does so after them too.
    private static func repeating(_ predicted: EncodingAttempt) -> EncodingAttempt {
        var attempt = predicted
        attempt.prediction?.isUniform = true
        attempt.predictorBits = 9
        attempt.transformsColor = false
        return attempt
    }

    /// The same, each pixel predicted by the one to its left: of what repeats only the first pixel of a row differs then.
    private static func fromLeft(_ predicted: EncodingAttempt) -> EncodingAttempt {
        var attempt = repeating(predicted)
        attempt.prediction?.modes = PredictorChoice.Search.left
        return attempt
    }

    /// The ways without a palette that may be the best.
    ///
    /// - Parameter leastBitCount: the least that the survey found for any way.
    private static func bestAttempts(
        _ predicted: EncodingAttempt, _ drawn: EncodingAttempt, _ survey: PictureSurvey, leastBitCount: Int
    ) -> [EncodingAttempt] {
        var attempts: [EncodingAttempt] = []
        // What is far from the least is not tried. Where little is new, copies save most, and they are lost by predictions.
        if survey.fresh.plain < leastBitCount + leastBitCount / 4 { attempts.append(drawn) }
        let limit = survey.newPixelPercentage < 10 && !survey.hasRepeats ? leastBitCount : 2 * leastBitCount
        if survey.fresh.predicted <= limit {
            attempts.append(predicted)
            if survey.hasRepeats { attempts += [repeating(predicted), fromLeft(predicted)] }
            var other = predicted
            other.predictorBits = max(2, predicted.predictorBits - 1)
            attempts.append(other)
        }
        return attempts
    }

    /// Photographs, and all that is smooth.
    ///
    /// - Parameter isGray: whether a pixel is one sample, so that the same time is enough for smaller blocks.
    private static func taken(
        _ size: PixelSize, _ effort: EncodingOptions.Effort, isGray: Bool
    ) -> EncodingAttempt {
        var attempt = EncodingAttempt(effort: effort)
        attempt.subtractsGreen = true
        attempt.transformsColor = true
        switch effort {
        case .fast:
            attempt.prediction = PredictorChoice.Search(modes: [11, 12, 7, 1, 2], rowStep: 2)
            attempt.predictorBits = sizeBits(size, least: isGray ? 3 : 4)
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
            attempt.parser.beginsWithCopies = true
        case .best:
            attempt = taken(size, .default, isGray: isGray)
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
            if isSmall(size, effort) { attempt.groups = BlockGroups.Effort(groupCount: 16, roundCount: 1) }
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

    /// Bits of a new pixel that predictions leave, below which they are likely to repeat. Of photographs they are twice as many and more.
    private static let repeatingBits = 4

    /// Pixels of a picture that is small.
    static let smallPixelCount = 1 << 18

    /// The most groups of codes that a picture gets.
    static let largestGroupCount = 128

    /// The most groups of codes that a picture gets with an effort.
    static func largestGroupCount(_ effort: EncodingOptions.Effort) -> Int {
        switch effort {
        case .fast: 16
        case .default: 64
        case .best: largestGroupCount
        }
    }

    /// The smallest blocks that have groups of codes.
    static func groupGrid(_ size: PixelSize, _ effort: EncodingOptions.Effort) -> BlockGrid {
        BlockGrid(size: size, sizeBits: taken(size, effort, isGray: false).groupBits)
    }

    /// Whether a picture is so small that an effort tries more ways, and those of faster efforts: it takes little time.
    static func isSmall(_ size: PixelSize, _ effort: EncodingOptions.Effort) -> Bool {
        (size.pixelCount ?? .max) <= (effort == .best ? 2 : 1) * smallPixelCount
    }

    /// Whether copies are taken as they are found, whatever the picture is.
    static func looksOnce(_ size: PixelSize, _ effort: EncodingOptions.Effort) -> Bool {
        effort == .fast && !isSmall(size, .best)
    }

    /// How many ways are taken after a quick look at several, besides the first.
    static func takenCount(_ effort: EncodingOptions.Effort) -> Int {
        switch effort {
        case .fast, .default: 1
        case .best: 3
        }
    }
}
