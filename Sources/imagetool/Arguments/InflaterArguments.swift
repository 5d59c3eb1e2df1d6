// Which inflater unpacks PNG, for comparing the two.

import ArgumentParser
import DeflateCodec
import PNGCodec

/// A hidden option of the commands that decoders are compared and timed with.
struct InflaterArguments: ParsableArguments {
    @Option(help: .hidden)
    var inflater = Inflater.Kind.swift

    /// Does something with the inflater that was asked for.
    func callAsFunction<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Inflater.choice.withValue(inflater, operation: body)
    }
}

extension Inflater.Kind: ExpressibleByArgument {}
