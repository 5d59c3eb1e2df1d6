// Picture rows from random planes, against upsampling and colour conversion written as scalar code on whole planes.

import CodecTestSupport
import ImageCodecsCore
import JPEGBaselineCodec
import Testing

@Suite struct RowEmitterTests {
    typealias Factors = [(Int, Int)]

    static let threeComponents: [Factors] = [
        [(1, 1), (1, 1), (1, 1)], [(2, 1), (1, 1), (1, 1)], [(2, 2), (1, 1), (1, 1)], [(1, 2), (1, 1), (1, 1)],
        [(4, 1), (1, 1), (1, 1)], [(3, 1), (1, 1), (1, 1)], [(1, 4), (1, 1), (1, 1)], [(2, 4), (1, 2), (1, 1)],
        [(4, 4), (2, 2), (1, 1)], [(2, 2), (2, 1), (1, 2)], [(1, 1), (2, 2), (2, 2)], [(2, 2), (1, 1), (2, 2)],
        [(4, 2), (2, 1), (4, 1)], [(3, 3), (1, 3), (3, 1)],
    ]

    private func geometry(_ factors: Factors, _ size: PixelSize, _ scale: DCTScale) throws -> FrameGeometry {
        let components = factors.enumerated().map {
            FrameGeometry.ComponentSpecification(
                identifier: UInt8($0.offset), horizontalSampling: $0.element.0, verticalSampling: $0.element.1,
                quantizationTable: 0)
        }
        return try #require(FrameGeometry(size: size, components: components, scale: scale))
    }

    /// Random samples for every component, only those that belong to the picture.
    private func samples(_ geometry: FrameGeometry, _ random: inout SeededRandom) -> [[[UInt8]]] {
        geometry.components.map { component in
            (0..<component.heightInSamples).map { _ in random.bytes(component.widthInSamples) }
        }
    }

    /// Puts the rows of one MCU row into the planes; filling is left as it is.
    private func fill(_ emitter: inout RowEmitter, _ samples: [[[UInt8]]]) {
        for (component, rows) in samples.enumerated() {
            let plane = emitter.planes.planes[component]
            for row in emitter.componentRows(component, finishedBy: emitter.mcuRow) {
                let start = plane.origin + (row - emitter.mcuRow * plane.rows) * plane.stride
                emitter.planes.samples.withMutableBytes { bytes in
                    for (column, sample) in rows[row].enumerated() {
                        bytes.storeBytes(of: sample, toByteOffset: start + column, as: UInt8.self)
                    }
                }
            }
        }
    }

    /// The rows, `padding` bytes apart; a byte after the last row must stay as it is.
    private func emit(_ emitter: inout RowEmitter, _ samples: [[[UInt8]]], padding: Int = 0) throws -> [[UInt8]] {
        let geometry = emitter.geometry
        let byteCount = geometry.outputSize.width * emitter.format.bytesPerPixel
        var rows: [[UInt8]] = []
        for mcuRow in 0..<geometry.mcuRows {
            fill(&emitter, samples)
            let finished = emitter.rows(finishedBy: mcuRow)
            #expect(finished.lowerBound == rows.count)
            let bytesPerRow = byteCount + padding
            var buffer = try ScratchBuffer(
                byteCount: finished.count * bytesPerRow + 1, filledWith: 77, meter: nil)
            buffer.withMutableBytes { emitter.writeRows(finished, into: &$0, bytesPerRow: bytesPerRow) }
            let bytes = buffer.withBytes { $0.copiedBytes() }
            #expect(bytes.last == 77)
            for row in 0..<finished.count {
                rows.append(Array(bytes[row * bytesPerRow..<row * bytesPerRow + byteCount]))
            }
            emitter.finishMCURow()
        }
        return rows
    }

    private func expected(_ geometry: FrameGeometry, _ samples: [[[UInt8]]], _ pixel: ([UInt8]) -> [UInt8]) -> [[UInt8]]
    {
        let full = zip(geometry.components, samples).map { component, plane in
            UpsamplingByTheBook.upsample(plane, ChromaUpsampling(component, in: geometry))
        }
        return (0..<geometry.outputSize.height).map { y in
            (0..<geometry.outputSize.width).flatMap { x in pixel(full.map { $0[y][x] }) }
        }
    }

    static let sizes = [
        PixelSize(width: 1, height: 1), PixelSize(width: 5, height: 3), PixelSize(width: 16, height: 16),
        PixelSize(width: 17, height: 33), PixelSize(width: 40, height: 31), PixelSize(width: 67, height: 18),
    ]

    @Test(arguments: DCTScale.allCases, sizes)
    func yCbCrRowsEqualTheReference(scale: DCTScale, size: PixelSize) throws {
        var random = SeededRandom(seed: UInt64(size.width * 100 + size.height))
        for factors in Self.threeComponents {
            let geometry = try geometry(factors, size, scale)
            let samples = samples(geometry, &random)
            for format in [PixelFormat.bgrx, .rgba, .rgb] {
                var emitter = try RowEmitter(geometry: geometry, colorModel: .yCbCr, format: format, meter: nil)
                let rows = try emit(&emitter, samples, padding: size.height % 2 * 60)
                let reference = expected(geometry, samples) { s in
                    let c = YCbCrConversion.rgb(y: s[0], cb: s[1], cr: s[2])
                    switch format {
                    case .bgrx: return [c.blue, c.green, c.red, 255]
                    case .rgba: return [c.red, c.green, c.blue, 255]
                    default: return [c.red, c.green, c.blue]
                    }
                }
                #expect(rows == reference, "\(factors) \(format)")
            }
        }
    }

    @Test(arguments: sizes)
    func rgbRowsAreInterleaved(size: PixelSize) throws {
        var random = SeededRandom(seed: 5)
        for factors in Self.threeComponents.prefix(4) {
            let geometry = try geometry(factors, size, .full)
            let samples = samples(geometry, &random)
            var rgb = try RowEmitter(geometry: geometry, colorModel: .rgb, format: .rgb, meter: nil)
            #expect(try emit(&rgb, samples) == expected(geometry, samples) { $0 })
            var bgrx = try RowEmitter(geometry: geometry, colorModel: .rgb, format: .bgrx, meter: nil)
            #expect(try emit(&bgrx, samples) == expected(geometry, samples) { [$0[2], $0[1], $0[0], 255] })
        }
    }

    @Test(arguments: sizes)
    func fourComponentsBecomeInks(size: PixelSize) throws {
        var random = SeededRandom(seed: 6)
        for factors: Factors in [
            [(1, 1), (1, 1), (1, 1), (1, 1)], [(2, 2), (1, 1), (1, 1), (2, 2)], [(2, 1), (1, 1), (1, 1), (1, 1)],
        ] {
            let geometry = try geometry(factors, size, .full)
            let samples = samples(geometry, &random)
            var cmyk = try RowEmitter(geometry: geometry, colorModel: .cmyk, format: .cmyk, meter: nil)
            #expect(try emit(&cmyk, samples) == expected(geometry, samples) { $0 })
            var ycck = try RowEmitter(geometry: geometry, colorModel: .ycck, format: .cmyk, meter: nil)
            let reference = expected(geometry, samples) { s in
                let c = CMYKConversion.cmy(y: s[0], cb: s[1], cr: s[2])
                return [c.cyan, c.magenta, c.yellow, s[3]]
            }
            #expect(try emit(&ycck, samples) == reference)
        }
    }

    @Test(arguments: sizes)
    func grayRowsAndComponentRowsAreTheSamples(size: PixelSize) throws {
        var random = SeededRandom(seed: 7)
        let geometry = try geometry([(1, 1)], size, .full)
        let samples = samples(geometry, &random)
        var emitter = try RowEmitter(geometry: geometry, colorModel: .grayscale, format: .gray, meter: nil)
        #expect(try emit(&emitter, samples) == samples[0])
        emitter = try RowEmitter(geometry: geometry, colorModel: .grayscale, format: .gray, meter: nil)
        fill(&emitter, samples)
        for row in emitter.componentRows(0, finishedBy: 0) {
            #expect(emitter.withComponentRow(0, row) { $0.copiedBytes() } == samples[0][row])
        }
    }

    @Test func rowsLagBehindWhereChromaIsInterpolatedVertically() throws {
        let size = PixelSize(width: 20, height: 40)
        let sub = try RowEmitter(
            geometry: geometry([(2, 2), (1, 1), (1, 1)], size, .full), colorModel: .yCbCr, format: .rgb, meter: nil)
        #expect((0..<3).map { sub.rows(finishedBy: $0) } == [0..<15, 15..<31, 31..<40])
        let half = try RowEmitter(
            geometry: geometry([(2, 2), (1, 1), (1, 1)], size, .half), colorModel: .yCbCr, format: .rgb, meter: nil)
        #expect((0..<3).map { half.rows(finishedBy: $0) } == [0..<8, 8..<16, 16..<20])
    }

    @Test func buffersAreCounted() throws {
        let geometry = try geometry([(2, 2), (1, 1), (1, 1)], PixelSize(width: 300, height: 20), .full)
        let meter = MemoryMeter()
        let emitter = try RowEmitter(geometry: geometry, colorModel: .yCbCr, format: .rgb, meter: meter)
        #expect(meter.current == RowEmitter.byteCount(geometry))
        _ = emitter
    }
}
