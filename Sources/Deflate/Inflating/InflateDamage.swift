// What can be wrong with a zlib stream, in zlib's own words, so that they can be searched for.

/// Why a stream cannot be read on.
enum InflateDamage: String, Hashable, Sendable {
    // RFC 1950 section 2.2 "Data format"
    case header = "incorrect header check"
    case method = "unknown compression method"
    case windowSize = "invalid window size"
    case presetDictionary = "needs a preset dictionary"
    case checksum = "incorrect data check"
    // RFC 1951 section 3.2.3 "Details of block format", 3.2.4 "Non-compressed blocks (BTYPE=00)"
    case blockType = "invalid block type"
    case storedLength = "invalid stored block lengths"
    // RFC 1951 section 3.2.7 "Compression with dynamic Huffman codes (BTYPE=10)"
    case tooManySymbols = "too many length or distance symbols"
    case codeLengthsSet = "invalid code lengths set"
    case lengthRepeat = "invalid bit length repeat"
    case endOfBlockMissing = "invalid code -- missing end-of-block"
    case literalLengthsSet = "invalid literal/lengths set"
    case distancesSet = "invalid distances set"
    // RFC 1951 section 3.2.5 "Compressed blocks (length and distance codes)"
    case literalLengthCode = "invalid literal/length code"
    case distanceCode = "invalid distance code"
    case distanceTooFar = "invalid distance too far back"
}
