// Hands the command line to libFuzzer.

internal import CFuzzer

/// Runs a fuzz target.
public enum FuzzDriver {
    /// Runs libFuzzer with the process's arguments until it ends; its status is the process's.
    public static func run(_ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32) -> Int32 {
        var count = CommandLine.argc
        // SAFETY: the arguments live as long as the process; libFuzzer may replace the pointer, not what it points to.
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv
        return unsafe LLVMFuzzerRunDriver(&count, &arguments, test)
    }
}
