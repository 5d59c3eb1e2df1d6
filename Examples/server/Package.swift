// swift-tools-version: 6.2
import PackageDescription

let codecs = "swift-image-codecs"

let package = Package(
    name: "thumbnail-server",
    platforms: [.macOS(.v15)],
    dependencies: [
        // Without the trait SystemZlib the program links no C library but the system's.
        .package(name: codecs, path: "../..", traits: ["HTTP"]),
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.1"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .target(name: "ImageProxyURL", dependencies: [.product(name: "Crypto", package: "swift-crypto")]),
        .target(
            name: "ThumbnailServer",
            dependencies: [
                .product(name: "ImageCaching", package: codecs), .product(name: "ImageCodecs", package: codecs),
                "ImageProxyURL", .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "ImageLoading", package: codecs),
                .product(name: "ImageLoadingHTTP", package: codecs), .product(name: "ImagePipeline", package: codecs),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
            ]),
        .executableTarget(
            name: "thumbnail-server",
            dependencies: [
                "ThumbnailServer", .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(name: "ImageProxyURLTests", dependencies: ["ImageProxyURL"]),
        .testTarget(
            name: "ThumbnailServerTests",
            dependencies: [
                "ThumbnailServer", .product(name: "ImageColor", package: codecs),
                .product(name: "ImagePipeline", package: codecs),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
