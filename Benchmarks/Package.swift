// swift-tools-version: 6.2
import PackageDescription

// Whole decodes and encodes through the public API, as a client sees them: codec-bench measures files, client-timing is what
// Scripts/check-debug-client compares with a debug build. (kernel-bench, beside this, belongs to the root package, because it
// times internal functions.)
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swift-image-codecs", path: "../")],
    targets: [
        .executableTarget(
            name: "codec-bench", dependencies: [.product(name: "ImageCodecs", package: "swift-image-codecs")]),
        .executableTarget(
            name: "client-timing", dependencies: [.product(name: "ImageCodecs", package: "swift-image-codecs")]),
    ],
    swiftLanguageModes: [.v6]
)
