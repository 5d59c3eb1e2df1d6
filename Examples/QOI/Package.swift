// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "QOI",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [.library(name: "QOI", targets: ["QOI"])],
    dependencies: [.package(name: "swift-image-codecs", path: "../..")],
    targets: [
        .target(
            name: "QOI",
            dependencies: [
                .product(name: "ImageCodecsCore", package: "swift-image-codecs"),
                .product(name: "ImageEncoding", package: "swift-image-codecs"),
            ]),
        .executableTarget(
            name: "qoi-convert", dependencies: ["QOI", .product(name: "ImageCodecs", package: "swift-image-codecs")]),
        .testTarget(
            name: "QOITests", dependencies: ["QOI", .product(name: "ImageCodecs", package: "swift-image-codecs")],
            resources: [.copy("Fixtures")]),
    ],
    swiftLanguageModes: [.v6]
)
