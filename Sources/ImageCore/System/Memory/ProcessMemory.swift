// What a benchmark wants to know about the memory of the process it runs in.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

package enum ProcessMemory {
    /// The most memory this process ever had in RAM, in KiB.
    package static var peakResidentKiB: Int {
        var usage = rusage()
        #if canImport(Glibc)
        let who = RUSAGE_SELF.rawValue
        #else
        let who = RUSAGE_SELF
        #endif
        // SAFETY: the structure is initialised and lives through the call.
        guard unsafe getrusage(who, &usage) == 0 else { return 0 }
        #if canImport(Darwin)
        return Int(usage.ru_maxrss) / 1024
        #else
        return Int(usage.ru_maxrss)
        #endif
    }
}
