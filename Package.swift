// swift-tools-version: 6.2
import PackageDescription

// Environment switches, all off by default:
//   IMAGE_CODECS_WARNINGS_AS_ERRORS  warnings stop the build (continuous integration)
//   IMAGE_CODECS_BUILT_ONCE          debug builds compile each module whole: a fifth less work, and all of it after any change (.ci/run)
//   IMAGE_CODECS_DEBUGGABLE          debug builds of the codecs are unoptimised, for stepping through them
//   IMAGE_CODECS_TOOLS               adds the tools of this package's authors: codec-bench, pipeline-bench, kernel-bench,
//                                    jpeg-encoding-bench, client-timing, hostile-report
//   IMAGE_CODECS_FUZZERS             adds fuzz-components, which links with libFuzzer alone (Fuzz/build)
//   IMAGE_CODECS_FORMAT_TESTS        leaves out all tests but those of the formats' modules, and imagetool
let environment = Context.environment
let warningsAreErrors = environment["IMAGE_CODECS_WARNINGS_AS_ERRORS"] != nil
let isBuiltOnce = environment["IMAGE_CODECS_BUILT_ONCE"] != nil
let codecsAreDebuggable = environment["IMAGE_CODECS_DEBUGGABLE"] != nil
let buildsTools = environment["IMAGE_CODECS_TOOLS"] != nil
let buildsFuzzers = environment["IMAGE_CODECS_FUZZERS"] != nil
let testsFormatsAlone = environment["IMAGE_CODECS_FORMAT_TESTS"] != nil

let sharedSettings: [SwiftSetting] =
    [
        .strictMemorySafety(),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [])

/// Settings of all other targets: tests, programs, and what stands on Foundation.
let otherSettings: [SwiftSetting] =
    sharedSettings
    + (isBuiltOnce
        ? [.unsafeFlags(["-wmo", "-num-threads", "2", "-disable-batch-mode"], .when(configuration: .debug))] : [])

/// Codec targets are optimised in debug builds too: SwiftPM builds a dependency without optimisation in a
/// client's debug build, and a decoder written in Swift is then some thirty times slower.
let codecSettings: [SwiftSetting] =
    sharedSettings
    + (codecsAreDebuggable
        ? []
        : [.unsafeFlags(["-O", "-wmo", "-num-threads", "2", "-disable-batch-mode"], .when(configuration: .debug))])

/// zlib, if the trait that links it is enabled.
let zlib = Target.Dependency.target(name: "ImageCodecsZlib", condition: .when(traits: ["SystemZlib"]))

/// What carries requests, and where events go, if the trait for it is enabled.
let httpClient: [Target.Dependency] = [
    .product(name: "AsyncHTTPClient", package: "async-http-client", condition: .when(traits: ["HTTP"])),
    .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["HTTP"])),
    .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["HTTP"])),
    .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["HTTP"])),
    .product(name: "Logging", package: "swift-log", condition: .when(traits: ["HTTP"])),
    .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["HTTP"])),
    .product(name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["HTTP"])),
]

/// The formats' modules, for whoever imports them beside `ImageCodecs`: a target is built anew only if a target that it names has changed.
let formats: [Target.Dependency] = [
    "APNGCodec", "GIFCodec", "JPEGBaselineCodec", "JPEGCodec", "PNGCodec", "WebPCodec", "WebPLosslessCodec",
    "WebPLossyCodec",
]

/// The core, and the modules beside it that not every codec needs; for whoever imports `ImageCodecs`, which exports them, too.
let besideTheCore: [Target.Dependency] = ["ImageCodecsCore", "ImageEncoding", "ImagePalettes", "ImagePhotoMetadata"]

/// A codec module. Targets are named after the package, because one graph of packages must not have two targets of one
/// name; folders are named after the format.
func codec(_ name: String, folder: String, dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(folder)", swiftSettings: codecSettings)
}

/// The tests of one module, in the folder of the same name.
func tests(_ name: String, dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies + ["CodecTestSupport"], swiftSettings: otherSettings)
}

/// A program for this package's authors.
func tool(_ name: String, folder: String, dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: folder, swiftSettings: otherSettings)
}

let package = Package(
    name: "swift-image-codecs",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "ImageCodecsCore", targets: ["ImageCodecsCore"]),
        .library(name: "PNGCodec", targets: ["PNGCodec"]),
        .library(name: "APNGCodec", targets: ["APNGCodec"]),
        .library(name: "GIFCodec", targets: ["GIFCodec"]),
        .library(name: "JPEGBaselineCodec", targets: ["JPEGBaselineCodec"]),
        .library(name: "JPEGCodec", targets: ["JPEGCodec"]),
        .library(name: "WebPLosslessCodec", targets: ["WebPLosslessCodec"]),
        .library(name: "WebPLossyCodec", targets: ["WebPLossyCodec"]),
        .library(name: "WebPCodec", targets: ["WebPCodec"]),
        .library(name: "ImageColor", targets: ["ImageColor"]),
        .library(name: "ImageComparison", targets: ["ImageComparison"]),
        .library(name: "ImageEncoding", targets: ["ImageEncoding"]),
        .library(name: "ImagePalettes", targets: ["ImagePalettes"]),
        .library(name: "ImagePhotoMetadata", targets: ["ImagePhotoMetadata"]),
        .library(name: "ImageCodecs", targets: ["ImageCodecs"]),
        .library(name: "ImageCodecsFoundation", targets: ["ImageCodecsFoundation"]),
        .library(name: "ImageCaching", targets: ["ImageCaching"]),
        .library(name: "ImageInspection", targets: ["ImageInspection"]),
        .library(name: "ImageLoading", targets: ["ImageLoading"]),
        .library(name: "ImageLoadingFoundation", targets: ["ImageLoadingFoundation"]),
        .library(name: "ImageLoadingHTTP", targets: ["ImageLoadingHTTP"]),
        .library(name: "ImagePipeline", targets: ["ImagePipeline"]),
        .library(name: "ImagePlayback", targets: ["ImagePlayback"]),
        .executable(name: "imagetool", targets: ["imagetool"]),
    ],
    traits: [
        .trait(
            name: "SystemZlib",
            description: "Links the system's zlib: a second inflater to compare ours with."),
        .trait(
            name: "ReferenceKernels",
            description: "Puts a plain twin in the place of every kernel: all unsafe code is in System/ folders then."),
        .trait(
            name: "HTTP",
            description:
                "Pictures by HTTP over async-http-client, events for swift-log, swift-metrics and swift-distributed-tracing."
        ),
        .trait(
            name: "CommandLineTool",
            description: "Builds imagetool over swift-argument-parser, which is not resolved without it."),
        .default(enabledTraits: ["CommandLineTool", "SystemZlib"]),
    ],
    dependencies: [
        // For the trait CommandLineTool alone: not resolved without it.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        // For the trait HTTP alone: not resolved without it.
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.7.1"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.3.0"),
    ],
    targets: [
        .systemLibrary(
            name: "ImageCodecsZlib", path: "Sources/CZlib", pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .yum(["zlib-devel"]), .brew(["zlib"])]),
        codec("ImageCodecsCore", folder: "ImageCore", dependencies: []),
        codec("ImageComparison", folder: "Comparison", dependencies: ["ImageCodecsCore"]),
        codec("ImagePalettes", folder: "Palettes", dependencies: ["ImageCodecsCore"]),
        codec("ImagePhotoMetadata", folder: "PhotoMetadata", dependencies: ["ImageCodecsCore"]),
        codec(
            "ImageEncoding", folder: "Encoding",
            dependencies: ["ImageCodecsCore", "ImageComparison", "ImagePhotoMetadata"]),
        codec("DeflateCodec", folder: "Deflate", dependencies: ["ImageCodecsCore", zlib]),
        codec("PNGCodec", folder: "PNG", dependencies: besideTheCore + ["DeflateCodec"]),
        codec("APNGCodec", folder: "APNG", dependencies: besideTheCore + ["DeflateCodec", "PNGCodec"]),
        codec("GIFCodec", folder: "GIF", dependencies: besideTheCore),
        codec("JPEGBaselineCodec", folder: "JPEGBaseline", dependencies: ["ImageCodecsCore", "ImagePhotoMetadata"]),
        codec(
            "JPEGCodec", folder: "JPEG",
            dependencies: ["ImageCodecsCore", "ImageEncoding", "ImagePhotoMetadata", "JPEGBaselineCodec"]),
        codec("WebPLosslessCodec", folder: "WebPLossless", dependencies: ["ImageCodecsCore", "ImagePalettes"]),
        codec("WebPLossyCodec", folder: "WebPLossy", dependencies: ["ImageCodecsCore", "ImageEncoding"]),
        codec(
            "WebPCodec", folder: "WebP",
            dependencies: [
                "ImageCodecsCore", "ImageEncoding", "ImagePhotoMetadata", "WebPLosslessCodec", "WebPLossyCodec",
            ]),
        codec("ImageColor", folder: "ImageColor", dependencies: ["ImageCodecsCore", "ImagePhotoMetadata"]),
        codec("ImageCodecs", folder: "ImageCodecs", dependencies: formats + besideTheCore + ["ImageColor"]),
        .target(
            name: "ImageCodecsFoundation", dependencies: besideTheCore + ["ImageCodecs", "ImagePipeline"],
            swiftSettings: otherSettings),
        .target(
            name: "ImageInspection", dependencies: formats + besideTheCore + ["ImageCodecs"],
            swiftSettings: codecSettings),
        .target(
            name: "ImagePipeline", dependencies: besideTheCore + ["ImageCodecs"], swiftSettings: codecSettings),
        .target(name: "ImageCaching", dependencies: ["ImageCodecsCore"], swiftSettings: codecSettings),
        .target(
            name: "ImageLoading", dependencies: besideTheCore + ["ImageCaching", "ImageCodecs", "ImagePipeline"],
            swiftSettings: codecSettings),
        .target(
            name: "ImageLoadingHTTP",
            dependencies: ["DeflateCodec", "ImageCaching", "ImageCodecsCore", "ImageLoading", "ImagePipeline"]
                + httpClient,
            swiftSettings: codecSettings),
        .target(
            name: "ImageLoadingFoundation",
            dependencies: ["ImageCaching", "ImageCodecsCore", "ImageLoading", "ImageLoadingHTTP"],
            swiftSettings: otherSettings),
        .target(
            name: "ImagePlayback", dependencies: besideTheCore + ["ImageCodecs", "ImagePipeline"],
            swiftSettings: codecSettings),
        .executableTarget(
            name: "imagetool",
            dependencies: formats + besideTheCore + [
                "ImageCaching", "ImageCodecs", "ImageColor", "ImageComparison", "ImageInspection", "ImageLoading",
                "ImagePipeline", "ImagePlayback", "DeflateCodec",
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser",
                    condition: .when(traits: ["CommandLineTool"])),
            ],
            swiftSettings: otherSettings),
        .target(
            name: "CodecTestSupport",
            dependencies: formats + besideTheCore + [
                "ImageCodecs", "ImageColor", "ImageInspection", "DeflateCodec", zlib,
            ],
            path: "Tests/CodecTestSupport", swiftSettings: codecSettings),
        // A process for tests: writes entries of a disk cache until it is killed.
        .executableTarget(
            name: "cache-writer", dependencies: ["ImageCaching", "ImageCodecsCore"], path: "Tests/CacheWriter",
            swiftSettings: otherSettings),
        .target(
            name: "HostileFiles",
            dependencies: ["ImageCodecsCore", "DeflateCodec", "PNGCodec", "WebPLossyCodec", "CodecTestSupport"],
            path: "Fuzz/HostileFiles", swiftSettings: codecSettings),
        .target(
            name: "FuzzComponents",
            dependencies: formats + besideTheCore + [
                "ImageCodecs", "ImageColor", "DeflateCodec", "CodecTestSupport", "HostileFiles",
            ],
            path: "Fuzz/Components", swiftSettings: codecSettings),
        // Structured hostile files, as many as there is time for.
        tool(
            "fuzz-structured", folder: "Fuzz/Structured",
            dependencies: ["ImageCodecsCore", "CodecTestSupport", "HostileFiles", "FuzzComponents"]),
        tests("ImageCoreTests", dependencies: ["ImageCodecsCore"]),
        tests("ComparisonTests", dependencies: ["ImageCodecsCore", "ImageComparison"]),
        tests("PalettesTests", dependencies: ["ImageCodecsCore", "ImagePalettes"]),
        tests("PhotoMetadataTests", dependencies: ["ImageCodecsCore", "ImagePhotoMetadata"]),
        tests("EncodingTests", dependencies: ["ImageCodecsCore", "ImageEncoding"]),
        tests("DeflateTests", dependencies: ["ImageCodecsCore", "DeflateCodec", "PNGCodec", "HostileFiles"]),
        tests("PNGTests", dependencies: besideTheCore + ["DeflateCodec", "PNGCodec", "HostileFiles"]),
        tests("APNGTests", dependencies: besideTheCore + ["APNGCodec", "DeflateCodec", "PNGCodec"]),
        tests("GIFTests", dependencies: besideTheCore + ["GIFCodec", "HostileFiles"]),
        tests("JPEGBaselineTests", dependencies: ["ImageCodecsCore", "JPEGBaselineCodec"]),
        tests("JPEGTests", dependencies: besideTheCore + ["ImageInspection", "JPEGBaselineCodec", "JPEGCodec"]),
        tests(
            "WebPTests",
            dependencies: besideTheCore + [
                "ImageInspection", "WebPCodec", "WebPLossyCodec", "WebPLosslessCodec", "HostileFiles",
            ]),
        tests("WebPLosslessTests", dependencies: ["ImageCodecsCore", "WebPLosslessCodec"]),
        tests("WebPLossyTests", dependencies: ["ImageCodecsCore", "WebPLossyCodec"]),
        tests("ImageColorTests", dependencies: ["ImageCodecsCore", "ImageColor"]),
        tests(
            "ImageCodecsTests",
            dependencies: besideTheCore + [
                "ImageCodecs", "ImageColor", "ImageComparison", "ImagePipeline", "ImagePlayback",
            ]),
        tests("ImageCodecsFoundationTests", dependencies: besideTheCore + ["ImageCodecsFoundation"]),
        tests(
            "ImageInspectionTests", dependencies: formats + besideTheCore + ["ImageCodecs", "ImageInspection"]),
        tests("ImageCachingTests", dependencies: ["ImageCaching", "cache-writer"]),
        tests(
            "ImageLoadingTests",
            dependencies: besideTheCore + [
                "ImageCaching", "ImageCodecs", "ImageColor", "ImageLoading", "ImagePipeline",
            ]),
        tests(
            "ImageLoadingHTTPTests",
            dependencies: besideTheCore + [
                "DeflateCodec", "ImageCaching", "ImageCodecs", "ImageLoading", "ImageLoadingFoundation",
                "ImageLoadingHTTP",
                .product(
                    name: "InMemoryTracing", package: "swift-distributed-tracing", condition: .when(traits: ["HTTP"])),
            ] + httpClient),
        tests("ImagePipelineTests", dependencies: besideTheCore + ["ImageCodecs", "ImagePipeline"]),
        tests("ImagePlaybackTests", dependencies: besideTheCore + ["ImageCodecs", "ImagePlayback"]),
        tests(
            "CommandLineTests",
            dependencies: formats + besideTheCore + [
                "imagetool", "ImageCodecs", "ImageInspection", "ImagePipeline", "ImagePlayback",
            ]),
        tests("ConformanceTests", dependencies: formats + besideTheCore + ["ImageCodecs"]),
        tests(
            "HostileFileTests",
            dependencies: formats + besideTheCore + [
                "ImageCodecs", "ImageColor", "ImageInspection", "ImagePipeline", "HostileFiles", "FuzzComponents",
            ]),
    ],
    swiftLanguageModes: [.v6]
)

if buildsTools {
    package.targets += [
        // Whole decodes and encodes through the public API, as a client sees them.
        tool("codec-bench", folder: "Benchmarks/Codecs", dependencies: ["ImageCodecs"]),
        // What Scripts/check-debug-client compares with a debug build.
        tool("client-timing", folder: "Benchmarks/ClientTiming", dependencies: ["ImageCodecs"]),
        // Caches, and the loader without pixels.
        tool(
            "pipeline-bench", folder: "Benchmarks/Pipeline",
            dependencies: ["ImageCaching", "ImageCodecs", "ImageLoading"]),
        // Internal functions.
        tool(
            "kernel-bench", folder: "Benchmarks/Kernels",
            dependencies: ["ImageCodecsCore", "ImagePalettes", "DeflateCodec", "JPEGBaselineCodec", "PNGCodec", zlib]),
        tool(
            "jpeg-encoding-bench", folder: "Benchmarks/JPEGEncoding",
            dependencies: ["ImageCodecsCore", "JPEGBaselineCodec", "JPEGCodec"]),
        tool("hostile-report", folder: "Fuzz/Report", dependencies: ["ImageCodecs", "CodecTestSupport"]),
    ]
}

if testsFormatsAlone {
    let others = [
        "imagetool", "CommandLineTests", "FuzzComponents", "HostileFileTests", "ImageCodecsFoundation",
        "ImageCodecsFoundationTests", "ImageInspectionTests", "ImagePipelineTests", "ImagePlaybackTests",
        "ImageCaching", "ImageCachingTests", "ImageLoading", "ImageLoadingTests", "cache-writer",
        "ImageLoadingFoundation", "ImageLoadingHTTP", "ImageLoadingHTTPTests",
        "ImageCodecsTests", "fuzz-structured",
    ]
    package.targets.removeAll { others.contains($0.name) }
    package.products.removeAll { others.contains($0.name) }
    package.dependencies = []
}

if buildsFuzzers {
    package.targets += [
        .systemLibrary(name: "CFuzzer", path: "Fuzz/CFuzzer"),
        .executableTarget(
            name: "fuzz-components", dependencies: ["CFuzzer", "CodecTestSupport", "HostileFiles", "FuzzComponents"],
            path: "Fuzz/Driver", swiftSettings: otherSettings),
    ]
}
