// Transforms that were made: files of one camera have one profile.

import ImageCodecsCore
internal import Synchronization

/// The transforms used last, by what files say; at most 8 MiB of them and their profiles.
final class TransformCache: Sendable {
    static let shared = TransformCache(maxByteCount: 8 << 20)

    /// What of a file's words about its colours counts, and what is wanted.
    private struct Key: Equatable {
        let channels: ColorProfile.Channels
        let destination: DecodingOptions.ColorSpace
        let codePoints: CodingIndependentCodePoints?
        let isSRGB: Bool
        let hasAdobeMark: Bool
        let gamma: UInt32?
        let chromaticities: Chromaticities?
        let iccProfile: Profile?

        /// Compared several bytes at a time.
        struct Profile: Equatable {
            let bytes: [UInt8]

            static func == (lhs: Profile, rhs: Profile) -> Bool {
                lhs.bytes.withRawSpan { left in rhs.bytes.withRawSpan { left.hasSameBytes(as: $0) } }
            }
        }

        init(
            _ metadata: ImageMetadata, _ channels: ColorProfile.Channels, _ destination: DecodingOptions.ColorSpace
        ) {
            (self.channels, self.destination) = (channels, destination)
            (codePoints, iccProfile) = (metadata.codePoints, metadata.iccProfile.map { Profile(bytes: $0) })
            (gamma, chromaticities) = (metadata.gamma, metadata.chromaticities)
            isSRGB = metadata.renderingIntent != nil
            // Only then does anybody ask for the mark, which has to be looked for.
            hasAdobeMark = iccProfile == nil && !isSRGB && gamma == nil && metadata.hasAdobeMark
        }

        var byteCount: Int { (1 << 10) + (iccProfile?.bytes.count ?? 0) }
    }

    private struct Entry {
        let key: Key
        /// In a box of its own, since it holds much that would be counted whenever it is copied.
        let conversion: (any PictureColorConversion)?
        let byteCount: Int
    }

    /// The one used last at the end.
    private let entries = Mutex<[Entry]>([])
    private let maxByteCount: Int

    init(maxByteCount: Int) { self.maxByteCount = maxByteCount }

    /// The conversion of a picture; `nil` if it is in the space already, or says nothing that can be used and so counts as sRGB.
    func conversion(
        _ metadata: ImageMetadata, channels: ColorProfile.Channels, to destination: DecodingOptions.ColorSpace
    ) throws(ICCProfileError) -> (any PictureColorConversion)? {
        let key = Key(metadata, channels, destination)
        if let found = find(key) { return found }
        let transform = try make(metadata, channels, StandardColorSpace(destination))
        let conversion = transform.map { ProfileConversion(transform: $0) }
        keep(Entry(key: key, conversion: conversion, byteCount: key.byteCount + (transform?.byteCount ?? 0)))
        return conversion
    }

    private func make(
        _ metadata: ImageMetadata, _ channels: ColorProfile.Channels, _ destination: StandardColorSpace
    ) throws(ICCProfileError) -> ColorTransform? {
        if let profile = try ColorProfile(of: metadata, channels: channels) {
            return ColorTransform(from: profile, to: destination)
        }
        guard channels != .cmyk, destination != .sRGB else { return nil }
        return ColorTransform(from: StandardColorSpace.sRGB.profile, to: destination)
    }

    private func find(_ key: Key) -> (any PictureColorConversion)?? {
        entries.withLock { entries in
            guard let index = entries.indices.reversed().first(where: { entries[$0].key == key }) else { return nil }
            let conversion = entries[index].conversion
            if index != entries.count - 1 { entries.append(entries.remove(at: index)) }
            return .some(conversion)
        }
    }

    private func keep(_ entry: Entry) {
        guard entry.byteCount <= maxByteCount / 2 else { return }
        entries.withLock { entries in
            entries.removeAll { $0.key == entry.key }
            entries.append(entry)
            while entries.reduce(0, { $0 + $1.byteCount }) > maxByteCount { entries.removeFirst() }
        }
    }
}
