// A PNG reader for tests, straight from the standard and independent of the module's own: chunks, checksums,
// unfiltering and samples, one value after another. No interlacing.

/// A PNG file taken apart.
package struct ReferencePNG {
    package struct Chunk {
        package var type: String
        package var body: [UInt8]
    }

    package enum Problem: Error {
        case signature, structure(String), checksum(String), imageData
    }

    package var chunks: [Chunk] = []
    package var width = 0
    package var height = 0
    package var depth = 0
    package var colorType = 0
    /// Filter type of each scanline.
    package var filters: [UInt8] = []
    /// Straight red, green, blue, alpha of each pixel, scaled to sixteen bits.
    package var pixels: [[UInt16]] = []

    package init(_ file: [UInt8]) throws {
        guard file.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else { throw Problem.signature }
        var at = 8
        while at < file.count {
            guard file.count - at >= 12 else { throw Problem.structure("short chunk") }
            let length = Self.number(file[at..<at + 4])
            guard file.count - at - 12 >= length else { throw Problem.structure("chunk beyond the end") }
            let typeAndBody = Array(file[at + 4..<at + 8 + length])
            let type = String(decoding: typeAndBody[..<4], as: UTF8.self)
            guard Self.crc32(typeAndBody) == Self.number(file[at + 8 + length..<at + 12 + length]) else {
                throw Problem.checksum(type)
            }
            chunks.append(Chunk(type: type, body: Array(typeAndBody[4...])))
            at += 12 + length
        }
        guard let header = body("IHDR"), header.count == 13, chunks.first?.type == "IHDR" else {
            throw Problem.structure("no IHDR")
        }
        guard chunks.last?.type == "IEND", chunks.last?.body.isEmpty == true else {
            throw Problem.structure("no IEND")
        }
        (width, height) = (Self.number(header[0..<4]), Self.number(header[4..<8]))
        (depth, colorType) = (Int(header[8]), Int(header[9]))
        guard header[10...] == [0, 0, 0] else { throw Problem.structure("methods") }
        try readPixels()
    }

    /// The body of the only chunk of that type.
    package func body(_ type: String) -> [UInt8]? {
        let bodies = chunks.filter { $0.type == type }.map(\.body)
        return bodies.count == 1 ? bodies[0] : nil
    }

    /// Types in the order of the file, IDAT once.
    package var order: [String] {
        chunks.map(\.type).reduce(into: []) { if $0.last != "IDAT" || $1 != "IDAT" { $0.append($1) } }
    }

    private mutating func readPixels() throws {
        let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colorType] ?? 0
        let rowBytes = (width * channels * depth + 7) / 8
        let distance = max(1, channels * depth / 8)
        let compressed = chunks.filter { $0.type == "IDAT" }.flatMap(\.body)
        guard let data = referenceInflate(compressed, byteCount: (rowBytes + 1) * height) else {
            throw Problem.imageData
        }
        var above = [UInt8](repeating: 0, count: rowBytes)
        for y in 0..<height {
            let start = y * (rowBytes + 1)
            filters.append(data[start])
            var row = Array(data[start + 1..<start + 1 + rowBytes])
            for i in 0..<rowBytes {
                let a = i >= distance ? Int(row[i - distance]) : 0
                let b = Int(above[i])
                let c = i >= distance ? Int(above[i - distance]) : 0
                let prediction: Int
                switch data[start] {
                case 0: prediction = 0
                case 1: prediction = a
                case 2: prediction = b
                case 3: prediction = (a + b) / 2
                case 4:
                    let p = a + b - c
                    let nearest = min(abs(p - a), abs(p - b), abs(p - c))
                    prediction = abs(p - a) == nearest ? a : abs(p - b) == nearest ? b : c
                default: throw Problem.imageData
                }
                row[i] = UInt8((Int(row[i]) + prediction) % 256)
            }
            pixels += (0..<width).map { x in pixel(row, x, channels) }
            above = row
        }
    }

    private func pixel(_ row: [UInt8], _ x: Int, _ channels: Int) -> [UInt16] {
        let samples = (0..<channels).map { channel -> Int in
            let bit = (x * channels + channel) * depth
            if depth == 16 { return Int(row[bit / 8]) << 8 | Int(row[bit / 8 + 1]) }
            return Int(row[bit / 8]) >> (8 - depth - bit % 8) & (1 << depth - 1)
        }
        if colorType == 3 {
            let palette = body("PLTE") ?? []
            let alphas = body("tRNS") ?? []
            let index = samples[0]
            guard 3 * index + 2 < palette.count else { return [] }
            let alpha = index < alphas.count ? alphas[index] : 255
            return (palette[3 * index..<3 * index + 3] + [alpha]).map { UInt16($0) * 257 }
        }
        let scaled = samples.map { UInt16($0 * 65535 / (1 << depth - 1)) }
        switch channels {
        case 1: return [scaled[0], scaled[0], scaled[0], 65535]
        case 2: return [scaled[0], scaled[0], scaled[0], scaled[1]]
        case 3: return scaled + [65535]
        default: return scaled
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    /// PNG 3rd ed. Annex D "Sample CRC implementation", bit by bit.
    private static func crc32(_ bytes: [UInt8]) -> Int {
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? 0xEDB8_8320 ^ crc >> 1 : crc >> 1 }
        }
        return Int(~crc)
    }
}
