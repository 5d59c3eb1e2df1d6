// The program: settings in, a running server out.

import ArgumentParser
import Hummingbird
import Logging
import ThumbnailServer

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@main
struct ThumbnailServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thumbnail-server", abstract: "Answers addresses with pictures, and uploads with thumbnails.",
        discussion: """
            Each flag is a variable of the environment too: --max-age is IMAGE_PROXY_MAX_AGE. Keys are better there: others see flags.
            """)

    @OptionGroup var settings: ServerSettings

    static func main() async {
        await main(
            ServerSettings.arguments(
                Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment))
    }

    /// Serves until SIGINT or SIGTERM.
    func run() async throws {
        guard let level = Logger.Level(rawValue: settings.logLevel) else {
            throw ValidationError("\(settings.logLevel) is no level of logging")
        }
        var logger = Logger(label: "server")
        logger.logLevel = level
        let proxy = try settings.makeProxy()
        if proxy == nil { logger.notice("no key: pictures of other servers are off; see --key and --allow-unsigned") }
        let address = BindAddress.hostname(settings.address, port: settings.port)
        try await ThumbnailServer(proxy: proxy).application(address: address, logger: logger).runService()
        await proxy?.shutDown()
    }
}
