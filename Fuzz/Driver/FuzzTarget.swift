// libFuzzer on the parts of the codecs that `Fuzz/Components` names; its `main` calls what this file exports. The program is
// called `fuzz-` and the name of a part, or the environment says it: FUZZ_PART=huffman. `--parts` prints all names, `--seeds`
// the folder of fixtures that has inputs.

import FuzzComponents
import Glibc

/// The part that this process is about.
let component: Component = {
    let program = CommandLine.arguments[0].split(separator: "/").last.map(String.init) ?? ""
    // SAFETY: the environment is read before anything could change it; the text is copied.
    let wanted =
        unsafe getenv("FUZZ_PART").map { unsafe String(cString: $0) } ?? String(program.dropFirst("fuzz-".count))
    guard let component = Component.named(wanted) else {
        print("no part \"\(wanted)\"; there are \(names)")
        exit(2)
    }
    return component
}()

private let names = Component.all.map(\.name).joined(separator: " ")

/// Answers questions, and ends the process if the part is unknown.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>
) -> CInt {
    switch CommandLine.arguments.dropFirst().first {
    case "--parts": print(names)
    case "--seeds": print(component.seedFolder ?? "")
    default:
        _ = component
        return 0
    }
    exit(0)
}

/// Asks everything that must hold of one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // SAFETY: libFuzzer passes `count` readable bytes.
    let bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    let violations = component.violations(bytes)
    if !violations.isEmpty { fatalError(violations.joined(separator: "\n")) }
    return 0
}
