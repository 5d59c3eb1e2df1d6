// Variables of the environment.

#if HTTP
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The value of a variable, `nil` if it is not set or empty. Nobody may set one meanwhile.
func environmentValue(_ name: String) -> String? {
    // SAFETY: the name lives through the call; the value is copied at once.
    guard let value = unsafe name.withCString({ unsafe getenv($0) }) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
}
#endif
