// The program: an address in, a running server out.

import Hummingbird
import ThumbnailServer

@main
struct ThumbnailServerCommand {
    static let usage = "usage: thumbnail-server [ADDRESS [PORT]]   (127.0.0.1 and 8080; port 0 is any that is free)"

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let port = arguments.count > 1 ? Int(arguments[1]) : 8080
        guard arguments.count <= 2, arguments.first?.hasPrefix("-") != true, let port, (0..<65_536).contains(port)
        else {
            print(usage)
            return
        }
        let address = BindAddress.hostname(arguments.first ?? "127.0.0.1", port: port)
        try await ThumbnailServer().application(address: address).runService()  // until SIGINT or SIGTERM
    }
}
