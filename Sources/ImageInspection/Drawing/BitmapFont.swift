// A small font of the tool's own: what stands under the pictures of a sheet.

/// Digits, lower-case letters and a few signs, five pixels wide and eight high, of which the last is for what hangs below
/// the line.
///
/// Everything else is drawn as an empty box.
package enum BitmapFont {
    /// Pixels of a character from left to right.
    package static let width = 5
    /// Pixels of a character from top to bottom.
    package static let height = 8
    /// Pixels from the start of a character to the start of the next.
    package static let advance = width + 1
    /// Pixels from the top of a line to the top of the next.
    package static let lineHeight = height + 2

    /// The characters of ``drawing``, row by row.
    private static let characters = "0123456789abcdefghijklmnopqrstuvwxyz.,:-+/"
    private static let charactersInRow = 10

    /// One character beside the other, one row of ten above the other, as they look.
    private static let drawing = """
        .###. ..#.. .###. .###. ...#. ##### ..##. ##### .###. .###.
        #...# .##.. #...# #...# ..##. #.... .#... ....# #...# #...#
        #..## ..#.. ....# ....# .#.#. ####. #.... ...#. #...# #...#
        #.#.# ..#.. ...#. ..##. #..#. ....# ####. ..#.. .###. .####
        ##..# ..#.. ..#.. ....# ##### ....# #...# ..#.. #...# ....#
        #...# ..#.. .#... #...# ...#. #...# #...# ..#.. #...# ...#.
        .###. .###. ##### .###. ...#. .###. .###. ..#.. .###. .##..
        ..... ..... ..... ..... ..... ..... ..... ..... ..... .....

        ..... #.... ..... ....# ..... ..##. ..... #.... ..#.. ...#.
        ..... #.... ..... ....# ..... .#... ..... #.... ..... .....
        .###. ####. .###. .#### .###. ####. .#### ####. .##.. ..##.
        ....# #...# #.... #...# #...# .#... #...# #...# ..#.. ...#.
        .#### #...# #.... #...# ##### .#... #...# #...# ..#.. ...#.
        #...# #...# #.... #...# #.... .#... .#### #...# ..#.. ...#.
        .#### ####. .###. .#### .###. .#... ....# #...# .###. #..#.
        ..... ..... ..... ..... ..... ..... .###. ..... ..... .##..

        #.... .##.. ..... ..... ..... ..... ..... ..... ..... .#...
        #.... ..#.. ..... ..... ..... ..... ..... ..... ..... .#...
        #..#. ..#.. ##.#. ####. .###. ####. .#### #.##. .#### ####.
        #.#.. ..#.. #.#.# #...# #...# #...# #...# ##..# #.... .#...
        ##... ..#.. #.#.# #...# #...# #...# #...# #.... .###. .#...
        #.#.. ..#.. #.#.# #...# #...# ####. .#### #.... ....# .#..#
        #..#. .###. #.#.# #...# .###. #.... ....# #.... ####. ..##.
        ..... ..... ..... ..... ..... #.... ....# ..... ..... .....

        ..... ..... ..... ..... ..... ..... ..... ..... ..... .....
        ..... ..... ..... ..... ..... ..... ..... ..... ..... .....
        #...# #...# #...# #...# #...# ##### ..... ..... .##.. .....
        #...# #...# #.#.# .#.#. #...# ...#. ..... ..... .##.. .....
        #...# #...# #.#.# ..#.. #...# ..#.. ..... ..... ..... .###.
        #...# .#.#. #.#.# .#.#. .#### .#... .##.. .##.. .##.. .....
        .#### ..#.. .#.#. #...# ....# ##### .##.. ..#.. .##.. .....
        ..... ..... ..... ..... .###. ..... ..... .#... ..... .....

        ..... ....#
        ..... ...#.
        ..#.. ...#.
        ..#.. ..#..
        ##### .#...
        ..#.. .#...
        ..#.. #....
        ..... .....
        """

    /// Rows of each character, the leftmost pixel in bit 4.
    private static let glyphs: [Character: [UInt8]] = {
        let lines = drawing.split(separator: "\n").map { Array($0.utf8) }
        var glyphs: [Character: [UInt8]] = [" ": Array(repeating: 0, count: height)]
        for (number, character) in characters.enumerated() {
            let (row, column) = number.quotientAndRemainder(dividingBy: charactersInRow)
            glyphs[character] = (0..<height).map { y in
                (0..<width).reduce(0) { bits, x in
                    bits << 1 | (lines[row * height + y][column * advance + x] == UInt8(ascii: "#") ? 1 : 0)
                }
            }
        }
        return glyphs
    }()

    private static let box: [UInt8] = [31, 17, 17, 17, 17, 17, 31, 0]

    /// Calls `body` with the place of every pixel of a line of text.
    ///
    /// - Parameters:
    ///   - text: in one line.
    ///   - body: gets column and row of a pixel that is set, from the top left of the line.
    package static func forEachPixel(of text: String, _ body: (_ x: Int, _ y: Int) -> Void) {
        for (number, character) in text.enumerated() {
            for (y, bits) in (glyphs[character] ?? box).enumerated() {
                for x in 0..<width where bits >> (width - 1 - x) & 1 == 1 { body(number * advance + x, y) }
            }
        }
    }
}
