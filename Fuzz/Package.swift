// swift-tools-version: 6.2
import PackageDescription

// Fuzzers for libFuzzer, on the public API of the package above alone. Build them through `build` or `run-smoke`
// beside this file: the sanitizers must be switched on for the codecs too, which only the command line can do.

let settings: [SwiftSetting] = [
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let dependencies: [Target.Dependency] = [
    .product(name: "ImageCore", package: "swift-image-codecs"),
    .product(name: "PNG", package: "swift-image-codecs"),
    .product(name: "APNG", package: "swift-image-codecs"),
    .product(name: "GIF", package: "swift-image-codecs"),
    .product(name: "JPEG", package: "swift-image-codecs"),
    .product(name: "WebP", package: "swift-image-codecs"),
    .product(name: "WebPLossless", package: "swift-image-codecs"),
    .product(name: "WebPLossy", package: "swift-image-codecs"),
    "FuzzSupport",
]

let package = Package(
    name: "fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swift-image-codecs", path: "..")],
    targets: [
        .systemLibrary(name: "CFuzzer"),
        .systemLibrary(
            name: "CReferenceZlib", pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .yum(["zlib-devel"]), .brew(["zlib"])]),
        .target(
            name: "FuzzSupport",
            dependencies: [.product(name: "ImageCore", package: "swift-image-codecs"), "CFuzzer"],
            swiftSettings: settings),
        .executableTarget(name: "fuzz-png", dependencies: dependencies, swiftSettings: settings),
        .executableTarget(name: "fuzz-jpeg", dependencies: dependencies, swiftSettings: settings),
        .executableTarget(name: "fuzz-gif", dependencies: dependencies, swiftSettings: settings),
        .executableTarget(name: "fuzz-apng", dependencies: dependencies, swiftSettings: settings),
        .executableTarget(name: "fuzz-webp", dependencies: dependencies, swiftSettings: settings),
        .executableTarget(name: "fuzz-vp8", dependencies: dependencies, swiftSettings: settings),
        .executableTarget(
            name: "fuzz-inflate", dependencies: dependencies + ["CReferenceZlib"], swiftSettings: settings),
        .executableTarget(name: "fuzz-lzw", dependencies: dependencies, swiftSettings: settings),
        .executableTarget(name: "fuzz-vp8l", dependencies: dependencies, swiftSettings: settings),
        .executableTarget(name: "fuzz-prefix-codes", dependencies: dependencies, swiftSettings: settings),
        .executableTarget(name: "fuzz-pieces", dependencies: dependencies, swiftSettings: settings),
        .executableTarget(name: "fuzz-kernels", dependencies: dependencies, swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
