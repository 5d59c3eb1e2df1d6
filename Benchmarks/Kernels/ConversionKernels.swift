// Row conversion (ImageCore): rows of 2048 pixels from each layout to the formats that decoders are asked for.

import ImageCodecsCore

private let width = 2048

func conversionKernels() -> [Kernel] {
    let palette = Palette((0..<256).map { UInt32($0) &* 0x9E37_79B1 })
    let layouts: [(name: String, layout: SampleLayout)] = [
        ("gray1", .gray(bits: 1, transparent: nil)),
        ("gray4", .gray(bits: 4, transparent: nil)),
        ("gray8", .gray(bits: 8, transparent: nil)),
        ("gray16", .gray(bits: 16, transparent: nil)),
        ("grayAlpha8", .grayAlpha(bits: 8)),
        ("grayAlpha16", .grayAlpha(bits: 16)),
        ("rgb8", .rgb(bits: 8, transparent: nil)),
        ("rgb8keyed", .rgb(bits: 8, transparent: .init(red: 1, green: 2, blue: 3))),
        ("rgb16", .rgb(bits: 16, transparent: nil)),
        ("rgba8", .rgba(bits: 8)),
        ("bgra8", .bgra),
        ("rgba16", .rgba(bits: 16)),
        ("indexed1", .indexed(bits: 1, palette: palette)),
        ("indexed2", .indexed(bits: 2, palette: palette)),
        ("indexed4", .indexed(bits: 4, palette: palette)),
        ("indexed8", .indexed(bits: 8, palette: palette)),
    ]
    let formats: [PixelFormat] = [.bgraPremultiplied, .bgrx, .rgba, .rgb, .gray]
    let betweenFormats: [(PixelFormat, PixelFormat)] = [
        (.bgraPremultiplied, .rgba), (.bgraPremultiplied, .rgb), (.bgraPremultiplied, .gray),
        (.bgraPremultiplied, .rgbaPremultiplied), (.bgrx, .rgb), (.bgrx, .gray), (.rgba16, .bgraPremultiplied),
        (.rgba, .rgba16), (.cmyk, .bgrx),
    ]
    var kernels = [conversion("copy", .pixels(.bgrx), to: .bgrx)]
    for (name, layout) in layouts {
        kernels += formats.map { conversion("\(name)>\($0)", layout, to: $0) }
    }
    kernels += betweenFormats.map { conversion("\($0)>\($1)", .pixels($0), to: $1) }
    kernels += [
        conversion("rgba8-opaque>bgraPremultiplied", .rgba(bits: 8), to: .bgraPremultiplied) { _, _ in 255 },
        conversion("rgba8-clear>bgraPremultiplied", .rgba(bits: 8), to: .bgraPremultiplied) { _, _ in 0 },
        // Stretches of 40 opaque, 6 soft, 37 clear and 6 soft pixels, as in icons.
        conversion("rgba8-sprites>bgraPremultiplied", .rgba(bits: 8), to: .bgraPremultiplied) { byte, random in
            switch byte / 4 % 89 {
            case ..<40: byte % 4 == 3 ? 255 : random
            case 46..<83: 0
            default: random
            }
        },
    ]
    return kernels
}

/// Rows a kernel works on; a class, so that results outlive the call.
private final class Rows {
    let source: [UInt8]
    var destination: [UInt8]

    init(_ layout: SampleLayout, to format: PixelFormat, filledWith fill: (Int, UInt8) -> UInt8) {
        var state: UInt32 = 1
        source = (0..<layout.bytesPerRow(width: width)).map { byte in
            state = state &* 1_664_525 &+ 1_013_904_223
            return fill(byte, UInt8(truncatingIfNeeded: state >> 24))
        }
        destination = [UInt8](repeating: 0, count: width * format.bytesPerPixel)
    }
}

private func conversion(
    _ name: String, _ layout: SampleLayout, to format: PixelFormat, filledWith fill: (Int, UInt8) -> UInt8 = { $1 }
) -> Kernel {
    let rows = Rows(layout, to: format, filledWith: fill)
    let source = rows.source
    let converter = RowConverter(from: layout, to: format)
    return Kernel(name: "conversion/\(name)", pixelCount: width) {
        unsafe rows.destination.withUnsafeMutableBytes { destination in
            // SAFETY: the span does not outlive the closure.
            var span = unsafe destination.mutableBytes
            unsafe converter.convert(source.span.bytes, into: &span, width: width)
        }
    }
}
