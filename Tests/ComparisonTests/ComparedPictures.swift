import ImageCodecsCore

/// Pictures that are made by formulas, so that another program can make the same.
enum ComparedPictures {
    /// Textures and squares: of column x, row y, channel c.
    static func original(_ width: Int, _ height: Int) throws -> Bitmap {
        try make(width, height) { x, y, c in
            let texture = x * (3 + c) % 61 - (y * 5 + c * 7) % 47 + ((x * y) >> 5) % 23
            return UInt8(truncatingIfNeeded: 128 + texture + 40 * ((x / 12 + y / 10) % 2))
        }
    }

    /// The same in steps of twelve, with a little noise.
    static func worse(_ original: Bitmap) throws -> Bitmap {
        try make(original.width, original.height) { x, y, c in
            let sample = original.withRow(y) { Int($0[3 * x + c]) }
            return UInt8(clamping: sample / 12 * 12 + 5 + (x * 7 + y * 13 + c * 5) % 9 - 4)
        }
    }

    /// An RGB picture with alpha.
    static func withAlpha(_ picture: Bitmap, _ alpha: (_ x: Int, _ y: Int) -> UInt8) throws -> Bitmap {
        var result = try picture.converted(to: .rgba)
        for y in 0..<result.height {
            try result.withMutableRow(y) { row in
                for x in 0..<picture.width { row[4 * x + 3] = alpha(x, y) }
            }
        }
        return result
    }

    private static func make(
        _ width: Int, _ height: Int, _ sample: (_ x: Int, _ y: Int, _ c: Int) -> UInt8
    ) throws -> Bitmap {
        var picture = try Bitmap(size: PixelSize(width: width, height: height), format: .rgb)
        for y in 0..<height {
            try picture.withMutableRow(y) { row in
                for x in 0..<width {
                    for c in 0..<3 { row[3 * x + c] = sample(x, y, c) }
                }
            }
        }
        return picture
    }
}
