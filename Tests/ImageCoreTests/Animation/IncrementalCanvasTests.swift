import CodecTestSupport
import ImageCodecsCore
import Testing

/// The frame that is being read, on the canvas of those before: pictures, and what is told to have changed.
@Suite struct IncrementalCanvasTests {
    /// Reads the frames of an animation row by row.
    private struct Reading {
        var canvas: IncrementalCanvas
        var read: RandomFrames
        let frames: RandomFrames
        var work = WorkGuard.unlimited

        init(_ frames: RandomFrames, _ options: DecodingOptions) throws {
            self.frames = frames
            read = RandomFrames(frames.plan.canvasSize)
            let request = DecodingRequest(options: options, purpose: .incremental)
            let output = try AnimationOutput(
                size: frames.plan.canvasSize, orientation: .up, options: options, meter: request.meter,
                work: .unlimited)
            canvas = try IncrementalCanvas(nil, output: output, size: frames.plan.canvasSize, request)
        }

        mutating func begin(_ index: Int) throws {
            let frame = read.plan.planned(frames.plan[index].info)
            try canvas.makeUnique()
            try canvas.beginFrame(frame, frames.rows(of: index), after: read.list, work: &work)
        }

        mutating func write(_ y: Int, of index: Int) throws {
            let width = frames.plan[index].info.rect.width
            let row = Array(frames.pixels[index][4 * y * width..<4 * (y + 1) * width])
            try canvas.makeUnique()
            row.withRawSpan { canvas.write($0, index: y) }
        }

        mutating func end(_ index: Int) throws {
            try read.append(frames.plan[index].info, frames.pixels[index])
            try canvas.end(read.plan[index], isWhole: true, damage: nil, work: &work)
        }

        mutating func picture() throws -> Bitmap { try canvas.picture(work: work) }
    }

    private func options(isStraight: Bool) -> DecodingOptions {
        var options = DecodingOptions()
        if isStraight { options.pixelFormat = .rgba }
        return options
    }

    @Test(arguments: 0..<20 as Range<UInt64>, [false, true])
    func picturesShowTheRowsSoFarOnTheFramesBefore(seed: UInt64, isStraight: Bool) throws {
        let frames = try RandomFrames(seed: seed, count: 8)
        var reading = try Reading(frames, options(isStraight: isStraight))
        var canvas = PlainCanvas(size: frames.plan.canvasSize, isStraight: isStraight)
        var shown: Bitmap?
        for index in 0..<8 {
            let info = frames.plan[index].info
            let pixels = try frames.canvasPixels(index, isStraight: isStraight)
            try reading.begin(index)
            for y in 0..<info.rect.height {
                try reading.write(y, of: index)
                // Not after every row, so that several are told at once.
                guard (y + index).isMultiple(of: 2) || y == info.rect.height - 1 else { continue }
                var partial = canvas
                partial.show(info, pixels, rowCount: y + 1)
                // Pixels after are not set while a frame that covers the canvas is the first that is drawn.
                let isWhole = y == info.rect.height - 1
                let isVague = frames.plan[index].covers(frames.plan.canvasSize) && !isWhole
                let picture = try reading.picture()
                let changed = reading.canvas.drainChanges()
                if !isVague { #expect(picture == (try partial.bitmap()), "row \(y) of frame \(index)") }
                if let shown { try expectSame(shown, picture, outside: changed) }
                shown = picture
            }
            try reading.end(index)
            canvas.show(info, pixels)
            #expect(try reading.picture() == (try canvas.bitmap()), "frame \(index)")
        }
    }

    private func expectSame(_ old: Bitmap, _ new: Bitmap, outside changed: PixelRect?) throws {
        let rect = changed ?? PixelRect(x: 0, y: 0, width: 0, height: 0)
        let (before, after) = (old.packedBytes(), new.packedBytes())
        for place in stride(from: 0, to: before.count, by: 4)
        where before[place..<place + 4] != after[place..<place + 4] {
            let (x, y) = (place / 4 % old.width, place / 4 / old.width)
            let isInside = x >= rect.x && x < rect.x + rect.width && y >= rect.y && y < rect.y + rect.height
            #expect(isInside, "pixel \(x), \(y) changed outside of \(rect)")
        }
    }

    @Test func copiesGoOnIndependently() throws {
        let frames = try RandomFrames(seed: 11, count: 6)
        let expected = try frames.plainFrames(isStraight: false)
        var original = try Reading(frames, .default)
        for index in 0..<3 {
            try original.begin(index)
            for y in 0..<frames.plan[index].info.rect.height { try original.write(y, of: index) }
            try original.end(index)
        }
        try original.begin(3)
        var copy = original
        for y in 0..<frames.plan[3].info.rect.height { try original.write(y, of: 3) }
        try original.end(3)
        #expect(try original.picture().packedBytes() == expected[3])
        for index in 3..<6 {
            if index > 3 { try copy.begin(index) }
            for y in 0..<frames.plan[index].info.rect.height { try copy.write(y, of: index) }
            try copy.end(index)
            #expect(try copy.picture().packedBytes() == expected[index])
        }
        #expect(try original.picture().packedBytes() == expected[3])
    }

    @Test func picturesThatWereHandedOutNeverChange() throws {
        let frames = try RandomFrames(seed: 12, count: 6)
        var reading = try Reading(frames, .default)
        var pictures: [(Bitmap, [UInt8])] = []
        for index in 0..<6 {
            try reading.begin(index)
            for y in 0..<frames.plan[index].info.rect.height {
                try reading.write(y, of: index)
                let picture = try reading.picture()
                pictures.append((picture, picture.packedBytes()))
            }
            try reading.end(index)
        }
        for (picture, bytes) in pictures { #expect(picture.packedBytes() == bytes) }
    }

    @Test func thumbnailsAreOfTheWholeCanvas() throws {
        let frames = try RandomFrames(seed: 13, count: 4)
        var reading = try Reading(frames, .thumbnail(width: 4, height: 4))
        for index in 0..<4 {
            try reading.begin(index)
            for y in 0..<frames.plan[index].info.rect.height { try reading.write(y, of: index) }
            try reading.end(index)
            let canvas = try Bitmap(
                packed: frames.plainFrames(isStraight: false)[index], size: frames.plan.canvasSize,
                format: .bgraPremultiplied)
            let picture = try reading.picture()
            #expect(picture == (try canvas.scaled(to: picture.size)))
            // A frame outside of the canvas changes nothing.
            let changed = reading.canvas.drainChanges()
            #expect(changed == PixelRect(picture.size) || changed == nil && frames.plan[index].visible.isEmpty)
        }
    }
}
