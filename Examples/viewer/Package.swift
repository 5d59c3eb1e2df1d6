// swift-tools-version: 6.2
import PackageDescription

let codecs = "swift-image-codecs"

let package = Package(
    name: "viewer",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: codecs, path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .systemLibrary(
            name: "CSDL2", pkgConfig: "sdl2", providers: [.apt(["libsdl2-dev"]), .brew(["sdl2"])]),
        .target(
            name: "PictureWall",
            dependencies: [
                .product(name: "ImageCodecs", package: codecs), .product(name: "ImageLoading", package: codecs),
                .product(name: "ImagePlayback", package: codecs),
            ]),
        .executableTarget(
            name: "viewer",
            dependencies: [
                "CSDL2", "PictureWall", .product(name: "ImageCaching", package: codecs),
                .product(name: "ImageCodecs", package: codecs), .product(name: "ImageLoading", package: codecs),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .testTarget(
            name: "PictureWallTests",
            dependencies: [
                "PictureWall", .product(name: "ImageCaching", package: codecs),
                .product(name: "ImageCodecs", package: codecs), .product(name: "ImageLoading", package: codecs),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
