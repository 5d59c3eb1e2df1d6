// jpeg-encoding-bench: the one-pass JPEG encoder alone, for comparisons with other encoders in the same run.
//
//   jpeg-encoding-bench convert IN.ppm OUT.jpg QUALITY SAMPLING [RESTART]    writes a file, no metadata
//   jpeg-encoding-bench time IN.ppm QUALITY SAMPLING FORMAT [ROUNDS]         seconds of the fastest round
//
// IN is a PPM or PGM file of 8 bits, or a PAM file of depth 4, which is taken as inks.

import ImageCodecsCore
import JPEGBaselineCodec
import JPEGCodec

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

struct Picture {
    var width = 0
    var height = 0
    var format = PixelFormat.rgb
    var bytes: [UInt8] = []
}

func readFile(_ path: String) -> [UInt8] {
    guard let file = unsafe fopen(path, "rb") else { fatalError("cannot read \(path)") }
    defer { unsafe fclose(file) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = unsafe fread(&block, 1, block.count, file)
        if count == 0 { return bytes }
        bytes += block[..<count]
    }
}

func readPicture(_ path: String) -> Picture {
    let data = readFile(path)
    var place = 0
    func word() -> String {
        while data[place] <= 32 { place += 1 }
        let start = place
        while data[place] > 32 { place += 1 }
        return String(decoding: data[start..<place], as: UTF8.self)
    }
    var picture = Picture()
    switch word() {
    case "P5": picture.format = .gray
    case "P6": picture.format = .rgb
    default: picture.format = .cmyk
    }
    if picture.format == .cmyk {
        while true {
            let key = word()
            if key == "ENDHDR" { break }
            let value = word()
            if key == "WIDTH" { picture.width = Int(value) ?? 0 }
            if key == "HEIGHT" { picture.height = Int(value) ?? 0 }
        }
    } else {
        picture.width = Int(word()) ?? 0
        picture.height = Int(word()) ?? 0
        _ = word()
    }
    picture.bytes = Array(data[(place + 1)...])
    return picture
}

func converted(_ picture: Picture, to format: PixelFormat) -> Picture {
    guard format != picture.format else { return picture }
    var result = picture
    result.format = format
    result.bytes = []
    for pixel in 0..<picture.width * picture.height {
        let rgb = picture.bytes[3 * pixel..<3 * pixel + 3]
        result.bytes += format.layout == .bgra ? Array(rgb.reversed()) : Array(rgb)
        result.bytes.append(255)
    }
    return result
}

func encoder(_ picture: Picture, _ quality: Int, _ sampling: JPEGSubsampling, _ restart: Int) -> BaselineScanEncoder {
    let model: JPEGColorModel = picture.format == .gray ? .grayscale : picture.format == .cmyk ? .cmyk : .yCbCr
    let tables = StandardQuantization.tables(quality: Double(quality), count: EncoderFrame.tableCount(model))
    guard let size = PixelSize(width: picture.width, height: picture.height) as PixelSize?,
        let frame = EncoderFrame(size: size, colorModel: model, subsampling: sampling, quantizationTables: tables),
        let encoder = try? BaselineScanEncoder(frame, format: picture.format, restartInterval: restart, meter: nil)
    else { fatalError("no such frame") }
    return encoder
}

func encode(_ picture: Picture, _ encoder: inout BaselineScanEncoder) throws(ImageError) -> [UInt8] {
    var coded: [UInt8] = []
    let bytesPerRow = picture.width * picture.format.bytesPerPixel
    try picture.bytes.withRawSpan { (bytes) throws(ImageError) in
        for y in 0..<picture.height {
            try encoder.write(bytes.extracting(y * bytesPerRow..<(y + 1) * bytesPerRow)) { coded.append($0) }
        }
    }
    try encoder.finish { coded.append($0) }
    return coded
}

func segment(_ marker: UInt8, _ body: [UInt8]) -> [UInt8] {
    [0xFF, marker, UInt8((body.count + 2) >> 8), UInt8((body.count + 2) & 255)] + body
}

func file(_ encoder: BaselineScanEncoder, _ coded: [UInt8]) -> [UInt8] {
    let frame = encoder.frame
    let (size, components) = (frame.geometry.size, frame.geometry.components)
    var file: [UInt8] = [0xFF, 0xD8]
    if frame.colorModel == .cmyk {
        file += segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 0])
    } else {
        file += segment(0xE0, Array("JFIF".utf8) + [0, 1, 1, 0, 0, 1, 0, 1, 0, 0])
    }
    for (slot, table) in frame.quantizationTables.enumerated() {
        file += segment(0xDB, [UInt8(slot)] + ZigZagOrder.natural.map { UInt8(table.values[Int($0)]) })
    }
    let sides = [UInt8(size.height >> 8), UInt8(size.height & 255), UInt8(size.width >> 8), UInt8(size.width & 255)]
    file += segment(
        0xC0,
        [8] + sides + [UInt8(components.count)]
            + components.flatMap {
                [$0.identifier, UInt8($0.horizontalSampling << 4 | $0.verticalSampling), UInt8($0.quantizationTable)]
            })
    for slot in 0..<(components.count == 3 ? 2 : 1) {
        let (dc, ac) = (StandardTables.dc[slot], StandardTables.ac[slot])
        file += segment(0xC4, [UInt8(slot)] + dc.counts + dc.symbols)
        file += segment(0xC4, [UInt8(0x10 | slot)] + ac.counts + ac.symbols)
    }
    if encoder.restartInterval > 0 {
        file += segment(0xDD, [UInt8(encoder.restartInterval >> 8), UInt8(encoder.restartInterval & 255)])
    }
    let scan = components.indices.flatMap { [components[$0].identifier, UInt8(frame.huffmanSlot($0) * 0x11)] }
    file += segment(0xDA, [UInt8(components.count)] + scan + [0, 63, 0])
    return file + coded + [0xFF, 0xD9]
}

@main
struct JPEGEncodingBench {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 6, let picture = arguments.count > 2 ? readPicture(arguments[2]) : nil else {
            print("usage: jpeg-encoding-bench convert IN.ppm OUT.jpg QUALITY SAMPLING [RESTART]")
            print("       jpeg-encoding-bench time IN.ppm QUALITY SAMPLING FORMAT [ROUNDS]")
            return
        }
        if arguments[1] == "convert" {
            var encoder = encoder(
                picture, Int(arguments[4])!, JPEGSubsampling(rawValue: arguments[5])!,
                arguments.count > 6 ? Int(arguments[6])! : 0)
            let coded = try encode(picture, &encoder)
            let bytes = file(encoder, coded)
            guard let output = unsafe fopen(arguments[3], "wb") else { fatalError("cannot write") }
            unsafe fwrite(bytes, 1, bytes.count, output)
            unsafe fclose(output)
            return
        }
        let source = converted(picture, to: PixelFormat(name: arguments[5])!)
        var best = Duration.seconds(1000)
        var byteCount = 0
        for _ in 0..<(arguments.count > 6 ? Int(arguments[6])! : 20) {
            let time = try ContinuousClock().measure {
                var encoder = encoder(source, Int(arguments[3])!, JPEGSubsampling(rawValue: arguments[4])!, 0)
                byteCount = try encode(source, &encoder).count
            }
            best = min(best, time)
        }
        let seconds = Double(best.components.attoseconds) / 1e18
        print(seconds, Double(source.width * source.height) / seconds / 1e6, byteCount)
    }
}
