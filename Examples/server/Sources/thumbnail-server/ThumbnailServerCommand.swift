// The program: settings in, a running server out.

import Hummingbird
import Logging
import ThumbnailServer

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

@main
struct ThumbnailServerCommand {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.contains("--help") || arguments.contains("-h") { return print(ServerSettings.help) }
        do {
            try await run(arguments)
        } catch let error as SettingsError {
            print("thumbnail-server: \(error)")
            exit(2)
        }
    }

    /// Serves until SIGINT or SIGTERM.
    private static func run(_ arguments: [String]) async throws {
        let settings = try ServerSettings(arguments: arguments) { name in Environment().get(name) }
        var logger = Logger(label: "server")
        logger.logLevel = Logger.Level(rawValue: settings.text("log-level")) ?? .notice
        let proxy = try settings.makeProxy()
        if proxy == nil { logger.notice("no key: pictures of other servers are off; see --key and --allow-unsigned") }
        let address = BindAddress.hostname(settings.text("address"), port: try settings.number("port", 0...65_535))
        try await ThumbnailServer(proxy: proxy).application(address: address, logger: logger).runService()
        await proxy?.shutDown()
    }
}
