// What is seen, and what becomes of it when somebody does something.

import ImageCodecs
import PictureWall

/// A window on a wall: the grid, or one picture in the size of the window.
struct ViewerSession {
    private let window: Window
    private let wall: PictureWall
    private var grid: TileGrid
    private var offset = 0
    /// The picture that fills the window; `nil` for the grid.
    private var opened: Int?
    private var textures: [Int: Texture] = [:]
    private var failures: [Int: String] = [:]
    private var box = PixelSize(width: 0, height: 0)
    private var needsDrawing = true
    private var frameTimes: [Duration] = []
    private var maxTextureCount = 0
    private var maxLoadingCount = 0

    /// Pictures that go to the graphics card between two frames, so that none takes long.
    private static let arrivalsPerFrame = 24

    init(window: Window, wall: PictureWall, side: Int) {
        (self.window, self.wall) = (window, wall)
        grid = TileGrid(count: wall.addresses.count, side: side, gap: 8)
    }

    /// Handles what was done, and draws if something changed.
    ///
    /// - Returns: whether it goes on.
    mutating func turn() -> Bool {
        let inputs = window.inputs(timeout: needsDrawing ? 0 : 1_000)
        let start = ContinuousClock.now
        for input in inputs { guard handle(input) else { return false } }
        let size = window.size
        if (grid.width, grid.height) != (size.width, size.height) {
            (grid.width, grid.height) = (size.width, size.height)
            needsDrawing = true
        }
        offset = min(max(0, offset), grid.maxOffset)
        show()
        take()
        guard needsDrawing else { return true }
        draw()
        frameTimes.append(.now - start)
        return true
    }

    private mutating func handle(_ input: Input) -> Bool {
        let row = grid.side + grid.gap
        needsDrawing = true
        switch input {
        case .quit: return false
        case .changed: break
        case .fullScreen: window.toggleFullScreen()
        case .back:
            guard let index = opened else { return false }
            opened = nil
            offset = grid.offset(showing: index, from: offset)
        case .open(let x, let y): opened = opened == nil ? grid.index(atX: x, y: y, offset: offset) : nil
        case .step(let step):
            guard let index = opened else { break }
            opened = min(max(0, index + step), grid.count - 1)
        case .scroll(let rows): offset += Int(rows * Double(row))
        case .pages(let pages): offset += pages * max(row, grid.height / row * row)
        case .start: offset = 0
        case .end: offset = grid.maxOffset
        }
        return true
    }

    /// Tells the wall what is seen now, and lets go of what is not.
    private mutating func show() {
        let visible: Range<Int>
        let ahead: Range<Int>
        let newBox: PixelSize
        if let opened {
            visible = opened..<opened + 1
            ahead = max(0, opened - 1)..<min(grid.count, opened + 2)
            newBox = PixelSize(width: max(1, grid.width), height: max(1, grid.height))
            window.title = "\(wall.addresses[opened]) – \(opened + 1) of \(grid.count)"
        } else {
            visible = grid.visible(at: offset)
            ahead = visible.lowerBound..<min(grid.count, visible.upperBound + visible.count)
            newBox = PixelSize(width: grid.side, height: grid.side)
            window.title = "\(visible.lowerBound + 1) to \(visible.upperBound) of \(grid.count)"
        }
        if box != newBox {
            textures = [:]
            failures = [:]
            box = newBox
        }
        textures = textures.filter { visible.contains($0.key) }
        failures = failures.filter { visible.contains($0.key) }
        wall.show(visible, ahead: ahead, box: box)
        maxLoadingCount = max(maxLoadingCount, wall.loadingCount)
    }

    /// Makes textures of what came.
    private mutating func take() {
        Window.willTake()
        let arrivals = wall.arrivals(atMost: Self.arrivalsPerFrame)
        // What is left is for the next frame.
        if arrivals.count == Self.arrivalsPerFrame { Window.wake() }
        for (index, arrival) in arrivals {
            switch arrival {
            case .bitmap(let bitmap): textures[index] = window.texture(bitmap, replacing: textures[index])
            case .failure(let reason): failures[index] = reason
            }
            needsDrawing = true
        }
        maxTextureCount = max(maxTextureCount, textures.count)
    }

    private mutating func draw() {
        window.clear()
        for index in opened.map({ $0..<$0 + 1 }) ?? grid.visible(at: offset) {
            let origin = opened == nil ? grid.origin(of: index, at: offset) : (x: 0, y: 0)
            if let texture = textures[index] {
                window.draw(
                    texture, x: origin.x + (box.width - texture.size.width) / 2,
                    y: origin.y + (box.height - texture.size.height) / 2)
            } else if failures[index] != nil {
                window.fill(
                    x: origin.x, y: origin.y, width: box.width, height: box.height, red: 96, green: 32, blue: 32)
            } else {
                window.fill(
                    x: origin.x, y: origin.y, width: box.width, height: box.height, red: 40, green: 40, blue: 44)
            }
        }
        if let opened, let reason = failures[opened] { window.title = "\(wall.addresses[opened]): \(reason)" }
        window.present()
        needsDrawing = false
    }

    /// What was loaded, and how long frames took.
    var summary: String {
        let counts = wall.counts
        let times = frameTimes.sorted()
        func milliseconds(_ part: Double) -> Double {
            times.isEmpty ? 0 : times[min(times.count - 1, Int(Double(times.count) * part))] / .milliseconds(1)
        }
        return """
            pictures: \(grid.count); begun \(counts.begun), loaded \(counts.loaded), given up \(counts.givenUp), failed \(counts.failed)
            previews: \(counts.previews); frames of animations: \(counts.frames)
            at once: \(maxTextureCount) textures, \(maxLoadingCount) loading
            drawn: \(times.count); milliseconds: median \(milliseconds(0.5)), 99th percentile \(milliseconds(0.99)), longest \(milliseconds(1))
            """
    }
}
