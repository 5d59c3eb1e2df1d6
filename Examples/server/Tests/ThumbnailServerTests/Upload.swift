import Foundation
import Hummingbird
import ImageCodecs
import ThumbnailServer

/// Files that are sent to the server, and what makes servers to send them to.
enum Upload {
    /// 240 x 160, opaque.
    static let landscape = file("png/landscape.png")
    /// 64 x 64, transparent in places.
    static let badge = file("png/badge@2x.png")
    /// 60 of the file's 160 rows are there.
    static let truncated = ByteBuffer(bytes: Array(landscape.readableBytesView).prefix(8000))
    /// One row of more pixels than strangers may send.
    static var tooWide: ByteBuffer {
        get throws {
            let bitmap = try Bitmap(size: PixelSize(width: 20_000, height: 1), format: .gray)
            return ByteBuffer(bytes: try RasterImage(bitmap: bitmap).encoded(as: .png))
        }
    }

    /// A file of the package's fixtures.
    private static func file(_ path: String) -> ByteBuffer {
        let root = URL(filePath: #filePath).appending(path: "../../../../../Tests/Fixtures/").standardizedFileURL
        return ByteBuffer(data: (try? Data(contentsOf: root.appending(path: path))) ?? Data())
    }
}

extension ThumbnailServer {
    /// A server with some limits changed.
    static func with(_ change: (inout ServerLimits) -> Void = { _ in }) -> ThumbnailServer {
        var limits = ServerLimits()
        change(&limits)
        return ThumbnailServer(limits: limits)
    }

    /// Answers on a port of the loopback interface that is free.
    var local: some ApplicationProtocol { application(address: .hostname("127.0.0.1", port: 0)) }
}
