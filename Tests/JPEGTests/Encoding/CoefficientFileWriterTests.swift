import CodecTestSupport
import ImageCodecsCore
import JPEGBaselineCodec
import JPEGCodec
import Testing

/// Files hold the coefficients that they were written from, whatever the process, the script and the restart interval.
@Suite struct CoefficientFileWriterTests {
    private static let processes: [CoefficientFileWriter.Process] = [
        .sequential, .progressive(.coarse), .progressive(.fine), .progressive(.smallerOfTwo), .progressive(.smallest),
        .progressive(.uniform(.twoRefined)), .progressive(.uniform(.threeRefined)),
        .progressive(.uniform(.twoTwiceRefined)),
    ]

    private func write(
        _ picture: CoefficientPicture, _ process: CoefficientFileWriter.Process, restartInterval: Int? = nil
    ) throws -> [UInt8] {
        let (geometry, meter) = (picture.geometry, MemoryMeter())
        var work = WorkGuard.unlimited
        var writer = try CoefficientFileWriter(
            picture, process: process, segments: [], restartInterval: restartInterval, meter: meter, work: &work)
        var file: [UInt8] = []
        try writer.write(work: &work) { (bytes) throws(ImageError) in file.append(bytes) }
        #expect(meter.peak <= CoefficientFileWriter.memoryByteCount(geometry, process))
        return file
    }

    private func check(_ file: [UInt8], holds picture: CoefficientPicture, isSequential: Bool) throws {
        let read = try CoefficientFileByTheBook(file)
        #expect(read.geometry == picture.geometry)
        #expect(read.frameMarker == (isSequential ? .sof0 : .sof2))
        for (index, component) in picture.geometry.components.enumerated() {
            let (width, height) =
                isSequential
                ? (component.paddedWidthInBlocks, component.paddedHeightInBlocks)
                : (component.widthInBlocks, component.heightInBlocks)
            let isAlone = picture.geometry.components.count == 1
            let areEqual = (0..<height).allSatisfy { row in
                (0..<width).allSatisfy { column in
                    isAlone && (column >= component.widthInBlocks || row >= component.heightInBlocks)
                        || read.blocks[index][row * component.paddedWidthInBlocks + column]
                            == picture.block(index, column: column, row: row)
                }
            }
            #expect(areEqual, "component \(index)")
        }
    }

    private func decode(_ file: [UInt8]) throws -> Bitmap {
        try JPEGCoder().decode(ImageData(file), options: .default).bitmap
    }

    @Test(arguments: 0..<24) func filesHoldTheirCoefficients(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let picture = try CoefficientPicture.random(&random)
        for process in Self.processes {
            try check(try write(picture, process), holds: picture, isSequential: process == .sequential)
            let interval = Int.random(in: 1...12, using: &random)
            let file = try write(picture, process, restartInterval: interval)
            try check(file, holds: picture, isSequential: process == .sequential)
        }
    }

    /// The pixels are those of the sequential file, by this package's decoder.
    @Test func everyProcessDecodesToTheSamePixels() throws {
        var random = SeededRandom(seed: 99)
        for _ in 0..<20 {
            let picture = try CoefficientPicture.random(&random)
            let expected = try decode(write(picture, .sequential))
            for process in Self.processes.dropFirst() {
                let found = try decode(write(picture, process, restartInterval: 7))
                let areEqual = found == expected
                #expect(areEqual)
            }
        }
    }

    /// 36,100 blocks of which only the last has an AC coefficient: a run ends at 32,767.
    @Test func longRunsEndInTime() throws {
        let geometry = try #require(
            FrameGeometry(
                size: PixelSize(width: 1520, height: 1520),
                components: [.init(identifier: 1, horizontalSampling: 1, verticalSampling: 1, quantizationTable: 0)]))
        var picture = try CoefficientPicture.empty(geometry, .grayscale)
        let last = 190 * 190 - 1
        picture.coefficients[0].values.withMutableBytes { bytes in
            bytes.withNumbers(of: Int16.self) { $0[last * 64 + 40] = -3 }
        }
        let expected = try decode(write(picture, .sequential))
        for process in [Self.processes[1], Self.processes[7]] {
            let file = try write(picture, process)
            #expect(file.count < 6000)
            let isEqual = try decode(file) == expected
            #expect(isEqual)
        }
    }

    @Test func scriptsAreTheDocumentedOnes() throws {
        var random = SeededRandom(seed: 5)
        let geometry = try #require(
            FrameGeometry(
                size: PixelSize(width: 50, height: 40),
                components: [
                    .init(identifier: 1, horizontalSampling: 2, verticalSampling: 2, quantizationTable: 0),
                    .init(identifier: 2, horizontalSampling: 1, verticalSampling: 1, quantizationTable: 1),
                    .init(identifier: 3, horizontalSampling: 1, verticalSampling: 1, quantizationTable: 1),
                ]))
        var picture = try CoefficientPicture.empty(geometry, .yCbCr)
        picture.fill(&random, style: .few)
        let coarse = try CoefficientFileByTheBook(try write(picture, .progressive(.coarse)))
        #expect(
            coarse.scans.map { Array($0[..<2]) } == [[0, 0], [0, 0], [1, 2], [3, 63], [1, 63], [1, 63]])
        let fine = try CoefficientFileByTheBook(try write(picture, .progressive(.fine)))
        #expect(
            fine.scans.map { Array($0[..<2]) } == [
                [0, 0], [0, 0], [1, 2], [3, 9], [10, 63], [1, 2], [3, 63], [1, 2], [3, 63],
            ])
        #expect((coarse.scans + fine.scans).allSatisfy { $0[2] == 0 && $0[3] == 0 })
    }

    @Test func theSmallestFileIsTheSmallest() throws {
        var random = SeededRandom(seed: 6)
        let geometry = try #require(
            FrameGeometry(
                size: PixelSize(width: 128, height: 128),
                components: [.init(identifier: 1, horizontalSampling: 1, verticalSampling: 1, quantizationTable: 0)]))
        for style in CoefficientStyle.allCases {
            var picture = try CoefficientPicture.empty(geometry, .grayscale)
            picture.fill(&random, style: style)
            let smallest = try write(picture, .progressive(.smallest)).count
            for division in BandDivision.all {
                // Candidates are compared without their stuffing.
                #expect(try smallest <= write(picture, .progressive(.uniform(division))).count + 64)
            }
        }
    }

    /// Corrections of a run are more than a run may hold back: blocks of 63 known coefficients and no new ones.
    @Test func runsOfManyCorrectionsEndInTime() throws {
        let geometry = try #require(
            FrameGeometry(
                size: PixelSize(width: 400, height: 40),
                components: [.init(identifier: 1, horizontalSampling: 1, verticalSampling: 1, quantizationTable: 0)]))
        var picture = try CoefficientPicture.empty(geometry, .grayscale)
        picture.coefficients[0].values.withMutableBytes { bytes in
            bytes.withNumbers(of: Int16.self) { values in
                for index in 0..<values.count { values[index] = [-5, 4, 7, -6][index % 4] }
            }
        }
        for division in BandDivision.all {
            let file = try write(picture, .progressive(.uniform(division)))
            try check(file, holds: picture, isSequential: false)
        }
    }

    @Test func aSlowFileCanBeCancelled() throws {
        var random = SeededRandom(seed: 7)
        let picture = try CoefficientPicture.random(&random)
        var limits = DecodingLimits.unlimited
        limits.maxTime = .zero
        var work = WorkGuard(limits: limits)
        work.begin()
        #expect(throws: ImageError.self) {
            _ = try CoefficientFileWriter(picture, process: .sequential, segments: [], meter: nil, work: &work)
        }
    }
}
