// The laws of encoding animations, asked of random ones: the same for every format.

package import ImageCodecsCore

extension AnimationEncoderLaws {
    /// Violations of the laws by random animations of one pixel format; each fourth is played three times.
    package func violations(
        ofRandomMovies seeds: Range<UInt64>, _ format: PixelFormat, _ effort: EncodingOptions.Effort
    ) throws(ImageError) -> [String] {
        try found(seeds, format, sourceSeed: { $0 &* 77 &+ 5 }) { (movie, seed) in
            var options = EncodingOptions()
            options.effort = effort
            if seed % 4 == 1 { options.loopCount = 3 }
            return violations(movie, options)
        }
    }

    /// What does not come back of many random animations, written with all efforts.
    ///
    /// - Parameter adjust: sets what is the format's own, by the seed.
    package func framesComeBack(
        fromRandomMovies seeds: Range<UInt64>, _ adjust: (UInt64, inout EncodingOptions) -> Void = { _, _ in }
    ) throws(ImageError) -> [String] {
        try found(seeds, nil) { (movie, seed) in
            var options = EncodingOptions()
            options.effort = EncodingOptions.Effort.allCases[Int(seed % 3)]
            adjust(seed, &options)
            return framesComeBack(movie, options)
        }
    }

    /// Which of some random animations become longer files than is allowed.
    package func sizeLimitsAreMet(byRandomMovies seeds: Range<UInt64>) throws(ImageError) -> [String] {
        try found(seeds, .rgba) { (movie, _) in sizeLimitsAreMet(movie, .default) }
    }

    /// What misuse of a session is not refused, with an animation of noise.
    package func misuseIsRefused() throws(ImageError) -> [String] {
        var frames: [ImageFrame] = []
        for seed in 0..<3 as Range<UInt64> {
            let picture = try EncoderPicture(.noise, size: PixelSize(width: 40, height: 20), seed: seed)
            frames.append(ImageFrame(bitmap: picture.bitmap, duration: .milliseconds(10)))
        }
        return misuseIsRefused(RandomMovie(frames))
    }

    private func found(
        _ seeds: Range<UInt64>, _ format: PixelFormat?, sourceSeed: (UInt64) -> UInt64 = { $0 },
        _ look: (RandomMovie, UInt64) -> [String]
    ) throws(ImageError) -> [String] {
        var found: [String] = []
        for seed in seeds {
            var source = DecisionSource(seed: sourceSeed(seed))
            found += look(try RandomMovie(&source, format: format), seed).map { "seed \(seed): \($0)" }
        }
        return found
    }
}
