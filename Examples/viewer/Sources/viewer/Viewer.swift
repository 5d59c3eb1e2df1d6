// The program: the loop of a window over a wall of pictures.

import ArgumentParser
import Foundation
import ImageCaching
import ImageCodecs
import ImageLoading
import PictureWall

/// Shows the pictures of a folder.
@main
struct Viewer: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the pictures of a folder and of those in it.",
        discussion: """
            Wheel, arrows, page up and down, Home and End scroll; a click opens a picture, left and right go through them, Escape goes back, F11
            fills the screen, Q ends.
            """)

    @Argument(help: "The folder.", completion: .directory)
    var folder: String
    @Option(help: ArgumentHelp("The side of a square, in pixels.", valueName: "pixels"))
    var side = 160
    @Option(help: ArgumentHelp("Bytes of pictures that are kept when they are no longer seen.", valueName: "bytes"))
    var memory = 128 << 20
    @Flag(help: "The processor draws, not the graphics card.")
    var software = false
    @Flag(help: "Says at the end what was loaded, and how long frames took.")
    var statistics = false

    func validate() throws {
        guard (16...2_048).contains(side) else { throw ValidationError("a side is 16 to 2048 pixels") }
        guard memory >= 0 else { throw ValidationError("memory is a number of bytes") }
    }

    func run() throws {
        let addresses = try Self.pictures(in: folder)
        guard !addresses.isEmpty else { throw ValidationError("there are no pictures in \(folder)") }
        let window = try Window(width: 1_280, height: 800, isSoftware: software)
        var configuration = ImageLoader.Configuration()
        configuration.memory = MemoryCache(byteCount: memory)
        let loader = ImageLoader(configuration)
        let wall = PictureWall(
            addresses, loader: loader, pixelFormat: window.takesPremultiplied ? .bgraPremultiplied : .rgba,
            wake: { Window.wake() })
        var session = ViewerSession(window: window, wall: wall, side: side)
        while session.turn() {}
        loader.cancelAll()
        if statistics { print(session.summary) }
    }

    /// Paths of all files whose names end like those of pictures, in the order of their names.
    private static func pictures(in folder: String) throws -> [String] {
        let endings = Set(ImageFormat.all.flatMap { $0.fileExtensions })
        let root = URL(filePath: folder, directoryHint: .isDirectory).path
        guard let names = FileManager.default.enumerator(atPath: root) else {
            throw ValidationError("\(folder) cannot be read")
        }
        var pictures: [String] = []
        for case let name as String in names where endings.contains((name as NSString).pathExtension.lowercased()) {
            pictures.append(name)
        }
        pictures.sort { $0.localizedStandardCompare($1) == .orderedAscending }
        return pictures.map { root + "/" + $0 }
    }
}
