// swift-tools-version: 6.2
import PackageDescription

// Environment switches, all off by default:
//   IMAGE_CODECS_WARNINGS_AS_ERRORS  warnings stop the build (continuous integration)
//   IMAGE_CODECS_DEBUGGABLE          debug builds of the codecs are unoptimised, for stepping through them
//   IMAGE_CODECS_DOCC                adds swift-docc-plugin, for `swift package generate-documentation`
//   IMAGE_CODECS_FUZZERS             adds fuzz-components, which links with libFuzzer alone (Fuzz/build)
let environment = Context.environment
let warningsAreErrors = environment["IMAGE_CODECS_WARNINGS_AS_ERRORS"] != nil
let codecsAreDebuggable = environment["IMAGE_CODECS_DEBUGGABLE"] != nil
let buildsDocumentation = environment["IMAGE_CODECS_DOCC"] != nil
let buildsFuzzers = environment["IMAGE_CODECS_FUZZERS"] != nil

let sharedSettings: [SwiftSetting] =
    [
        .strictMemorySafety(),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [])

/// Codec targets are optimised in debug builds too: SwiftPM builds a dependency without optimisation in a
/// client's debug build, and a decoder written in Swift is then some thirty times slower.
let codecSettings: [SwiftSetting] =
    sharedSettings
    + (codecsAreDebuggable
        ? []
        : [.unsafeFlags(["-O", "-wmo", "-num-threads", "2", "-disable-batch-mode"], .when(configuration: .debug))])

/// zlib, where the trait that links it is on.
let zlib = Target.Dependency.target(name: "CZlib", condition: .when(traits: ["SystemZlib"]))

let package = Package(
    name: "swift-image-codecs",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "ImageCore", targets: ["ImageCore"]),
        .library(name: "PNG", targets: ["PNG"]),
        .library(name: "APNG", targets: ["APNG"]),
        .library(name: "GIF", targets: ["GIF"]),
        .library(name: "JPEGBaseline", targets: ["JPEGBaseline"]),
        .library(name: "JPEG", targets: ["JPEG"]),
        .library(name: "WebPLossless", targets: ["WebPLossless"]),
        .library(name: "WebP", targets: ["WebP"]),
        .library(name: "WebPLossy", targets: ["WebPLossy"]),
        .library(name: "ImageCodecs", targets: ["ImageCodecs"]),
        .library(name: "ImageCodecsFoundation", targets: ["ImageCodecsFoundation"]),
        .executable(name: "imagetool", targets: ["imagetool"]),
    ],
    traits: [
        .trait(
            name: "SystemZlib",
            description: "Links the system's zlib: PNG encoding, and a second inflater to compare ours with."),
        .trait(
            name: "ReferenceKernels",
            description: "Puts a plain twin in the place of every kernel: all unsafe code is in System/ folders then."),
        .default(enabledTraits: ["SystemZlib"]),
    ],
    dependencies: [
        // For imagetool alone; clients that use only the libraries never fetch it.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
    ],
    targets: [
        .systemLibrary(
            name: "CZlib", pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .yum(["zlib-devel"]), .brew(["zlib"])]),
        .target(name: "ImageCore", swiftSettings: codecSettings),
        .target(name: "PNG", dependencies: ["ImageCore", zlib], swiftSettings: codecSettings),
        .target(name: "APNG", dependencies: ["ImageCore", "PNG"], swiftSettings: codecSettings),
        .target(name: "GIF", dependencies: ["ImageCore"], swiftSettings: codecSettings),
        .target(name: "JPEGBaseline", dependencies: ["ImageCore"], swiftSettings: codecSettings),
        .target(name: "JPEGProgressive", dependencies: ["ImageCore", "JPEGBaseline"], swiftSettings: codecSettings),
        .target(
            name: "JPEG", dependencies: ["ImageCore", "JPEGBaseline", "JPEGProgressive"], swiftSettings: codecSettings),
        .target(name: "WebPLossless", dependencies: ["ImageCore"], swiftSettings: codecSettings),
        .target(name: "WebP", dependencies: ["ImageCore", "WebPLossless", "WebPLossy"], swiftSettings: codecSettings),
        .target(name: "WebPLossy", dependencies: ["ImageCore"], swiftSettings: codecSettings),
        .executableTarget(
            name: "kernel-bench", dependencies: ["ImageCore", "JPEGBaseline", "PNG"], path: "Benchmarks/Kernels",
            swiftSettings: sharedSettings),
        .target(
            name: "ImageCodecs", dependencies: ["ImageCore", "APNG", "GIF", "PNG", "JPEG", "WebP"],
            swiftSettings: codecSettings),
        .target(name: "ImageCodecsFoundation", dependencies: ["ImageCodecs"], swiftSettings: sharedSettings),
        .executableTarget(
            name: "imagetool",
            dependencies: [
                "ImageCodecs", "JPEGBaseline", "PNG", "WebPLossy",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: sharedSettings),
        .target(
            name: "CodecTestSupport", dependencies: ["ImageCore", zlib], path: "Tests/CodecTestSupport",
            swiftSettings: codecSettings),
        .target(
            name: "HostileFiles", dependencies: ["ImageCore", "PNG", "WebPLossy", "CodecTestSupport"],
            path: "Fuzz/HostileFiles", swiftSettings: codecSettings),
        .target(
            name: "FuzzComponents",
            dependencies: [
                "ImageCore", "APNG", "GIF", "PNG", "JPEG", "JPEGBaseline", "WebP", "WebPLossless", "WebPLossy",
                "CodecTestSupport", "HostileFiles",
            ],
            path: "Fuzz/Components", swiftSettings: codecSettings),
        .executableTarget(
            name: "fuzz-structured",
            dependencies: ["ImageCore", "CodecTestSupport", "HostileFiles", "FuzzComponents"],
            path: "Fuzz/Structured", swiftSettings: sharedSettings),
        .executableTarget(
            name: "hostile-report",
            dependencies: ["ImageCore", "APNG", "GIF", "PNG", "JPEG", "WebP", "CodecTestSupport"],
            path: "Fuzz/Report", swiftSettings: sharedSettings),
        .testTarget(
            name: "ImageCoreTests", dependencies: ["ImageCore", "CodecTestSupport"], swiftSettings: sharedSettings),
        .testTarget(
            name: "PNGTests", dependencies: ["ImageCore", "PNG", "CodecTestSupport", "HostileFiles"],
            swiftSettings: sharedSettings),
        .testTarget(
            name: "APNGTests", dependencies: ["ImageCore", "APNG", "PNG", "CodecTestSupport"],
            swiftSettings: sharedSettings),
        .testTarget(
            name: "GIFTests", dependencies: ["ImageCore", "GIF", "CodecTestSupport", "HostileFiles"],
            swiftSettings: sharedSettings),
        .testTarget(
            name: "ConformanceTests",
            dependencies: ["ImageCore", "APNG", "GIF", "PNG", "JPEG", "WebP", "CodecTestSupport"],
            swiftSettings: sharedSettings),
        .testTarget(
            name: "WebPTests", dependencies: ["ImageCore", "WebP", "CodecTestSupport", "HostileFiles"],
            swiftSettings: sharedSettings),
        .testTarget(
            name: "WebPLosslessTests", dependencies: ["ImageCore", "WebPLossless", "CodecTestSupport"],
            swiftSettings: sharedSettings),
        .testTarget(
            name: "ImageCodecsTests", dependencies: ["ImageCodecs", "CodecTestSupport"], swiftSettings: sharedSettings),
        .testTarget(
            name: "ImageCodecsFoundationTests", dependencies: ["ImageCodecsFoundation", "CodecTestSupport"],
            swiftSettings: sharedSettings),
        .testTarget(
            name: "CommandLineTests", dependencies: ["imagetool", "WebPLossy", "CodecTestSupport"],
            swiftSettings: sharedSettings),
        .testTarget(
            name: "JPEGBaselineTests", dependencies: ["ImageCore", "JPEGBaseline", "CodecTestSupport"],
            swiftSettings: sharedSettings),
        .testTarget(
            name: "JPEGProgressiveTests",
            dependencies: ["ImageCore", "JPEGBaseline", "JPEGProgressive", "CodecTestSupport"],
            swiftSettings: sharedSettings),
        .testTarget(
            name: "JPEGTests", dependencies: ["ImageCore", "JPEGBaseline", "JPEG", "CodecTestSupport"],
            swiftSettings: sharedSettings),
        .testTarget(
            name: "WebPLossyTests", dependencies: ["ImageCore", "WebPLossy", "CodecTestSupport"],
            swiftSettings: sharedSettings),
        .testTarget(
            name: "HostileFileTests",
            dependencies: [
                "ImageCore", "APNG", "GIF", "PNG", "JPEG", "JPEGBaseline", "WebP", "CodecTestSupport", "HostileFiles",
                "FuzzComponents",
            ],
            swiftSettings: sharedSettings),
    ],
    swiftLanguageModes: [.v6]
)

if buildsFuzzers {
    package.targets += [
        .systemLibrary(name: "CFuzzer", path: "Fuzz/CFuzzer"),
        .executableTarget(
            name: "fuzz-components", dependencies: ["CFuzzer", "CodecTestSupport", "HostileFiles", "FuzzComponents"],
            path: "Fuzz/Driver", swiftSettings: sharedSettings),
    ]
}

if buildsDocumentation {
    package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}
