// The addresses of a name, from the operating system.

import ImageCodecsCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The addresses that the operating system knows of a name, at most 64. Each question has a thread of its own, as nothing ends it before
/// its time.
///
/// - Throws: ``TransportError/noConnection(_:)`` with the system's words.
public func systemAddresses(_ host: String) async throws -> [IPAddress] {
    let result = await withCheckedContinuation { (continuation: CheckedContinuation<Resolution, Never>) in
        let isStarted = EndlessThread.start { continuation.resume(returning: lookUp(host)) }
        if !isStarted { continuation.resume(returning: .failure(.noConnection("no thread for a lookup"))) }
    }
    return try result.get()
}

private typealias Resolution = Result<[IPAddress], TransportError>

private func lookUp(_ host: String) -> Resolution {
    // SAFETY: a structure of zeros and null pointers asks for addresses of all kinds.
    var hints = unsafe addrinfo()
    #if canImport(Glibc)
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #else
    unsafe hints.ai_socktype = SOCK_STREAM
    #endif
    var list: UnsafeMutablePointer<addrinfo>?
    // SAFETY: name and hints live through the call, which sets the list or returns an error.
    let status = unsafe host.withCString { unsafe getaddrinfo($0, nil, &hints, &list) }
    guard status == 0, let first = unsafe list else {
        // SAFETY: `gai_strerror` returns a null-terminated string.
        return .failure(.noConnection("\(host): " + (unsafe String(cString: gai_strerror(status)))))
    }
    defer { unsafe freeaddrinfo(first) }
    var addresses: [IPAddress] = []
    var next = unsafe list
    while let entry = unsafe next, addresses.count < 64 {
        // SAFETY: the entries of the list are valid until it is freed, each with an address of its family.
        if let address = unsafe ipAddress(entry.pointee.ai_addr), !addresses.contains(address) {
            addresses.append(address)
        }
        unsafe next = entry.pointee.ai_next
    }
    return .success(addresses)
}

/// The address in a structure of the system; `nil` for other families.
func ipAddress(_ address: UnsafePointer<sockaddr>?) -> IPAddress? {
    guard let address = unsafe address else { return nil }
    switch Int32(unsafe address.pointee.sa_family) {
    case AF_INET:
        // SAFETY: the family says that it is of this type; the number's first byte is the highest.
        let number = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr
        return IPAddress(version4: UInt32(bigEndian: number))
    case AF_INET6:
        // SAFETY: the family says that it is of this type, in which the sixteen bytes lie one after the other.
        var bytes = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self).sin6_addr
        let number = unsafe withUnsafeBytes(of: &bytes) { unsafe $0.loadUnaligned(as: UInt128.self) }
        return IPAddress(version6: UInt128(bigEndian: number))
    default: return nil
    }
}
