// Runs the built imagetool and collects what it says.

import Foundation

/// What one run of imagetool gave.
struct ToolRun {
    let status: Int32
    let output: Data
    let errors: String

    var text: String { String(decoding: output, as: UTF8.self) }
    var lines: [String] { text.split(separator: "\n").map(String.init) }
    var errorLines: [String] { errors.split(separator: "\n").map(String.init) }

    /// The output as JSON objects, one a line.
    func objects() throws -> [[String: Any]] {
        try lines.compactMap { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
    }
}

/// The executable under test, in a folder of its own for what it writes.
struct Tool: ~Copyable {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("imagetool-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The built executable, beside the test bundle; `$IMAGETOOL` names another.
    private static var executable: URL {
        if let path = ProcessInfo.processInfo.environment["IMAGETOOL"] { return URL(fileURLWithPath: path) }
        var folder = Bundle.main.bundleURL
        while folder.path != "/" {
            let candidate = folder.appendingPathComponent("imagetool")
            if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
            folder.deleteLastPathComponent()
        }
        return URL(fileURLWithPath: "imagetool")
    }

    /// The path of something the tool writes.
    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// The bytes of something the tool wrote.
    func contents(_ name: String) throws -> Data { try Data(contentsOf: folder.appendingPathComponent(name)) }

    /// Runs the tool to its end.
    func run(_ arguments: String..., input: URL? = nil) throws -> ToolRun {
        try run(arguments, input: input)
    }

    /// Runs the tool to its end. Output goes through files, so that no pipe can fill up.
    func run(_ arguments: [String], input: URL? = nil) throws -> ToolRun {
        try run(Self.executable, arguments, input: input)
    }

    /// Runs a script of the shell: its arguments are the tool, the folder for what it writes, and `arguments`.
    func runInShell(_ script: String, _ arguments: [String]) throws -> ToolRun {
        let shell = URL(fileURLWithPath: "/bin/sh")
        return try run(shell, ["-c", script, "sh", Self.executable.path, folder.path] + arguments, input: nil)
    }

    /// Runs the tool if no file may take more than 16 KiB.
    func runWithSmallFiles(_ arguments: [String]) throws -> ToolRun {
        // Blocks of 512 bytes, or of 1 KiB in some shells.
        let script = "ulimit -f 16 && exec \"$0\" \"$@\""
        return try run(URL(fileURLWithPath: "/bin/sh"), ["-c", script, Self.executable.path] + arguments, input: nil)
    }

    /// Runs the tool with a full disk as standard output.
    func runWithFullOutput(_ arguments: [String], input: URL) throws -> ToolRun {
        let script = "exec \"$0\" \"$@\" > /dev/full"
        return try run(URL(fileURLWithPath: "/bin/sh"), ["-c", script, Self.executable.path] + arguments, input: input)
    }

    /// Runs the tool with neither standard input nor output nor error.
    func runWithNothingOpen(_ arguments: [String]) throws -> ToolRun {
        let script = "exec \"$0\" \"$@\" <&- >&- 2>&-"
        return try run(URL(fileURLWithPath: "/bin/sh"), ["-c", script, Self.executable.path] + arguments, input: nil)
    }

    /// Starts the tool with pipes to and from it.
    func start(_ arguments: [String]) throws -> (process: Process, input: FileHandle, output: FileHandle) {
        let (input, output) = (Pipe(), Pipe())
        let process = Process()
        process.executableURL = Self.executable
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        return (process, input.fileHandleForWriting, output.fileHandleForReading)
    }

    /// Runs the tool with a terminal as standard output, as util-linux's `script` gives one.
    ///
    /// - Parameter arguments: without spaces and anything else that a shell takes for something.
    func runOnTerminal(_ arguments: [String]) throws -> ToolRun {
        let errors = folder.appendingPathComponent("terminal.err")
        let command = ([Self.executable.path] + arguments + ["2>" + errors.path]).joined(separator: " ")
        let run = try run(URL(fileURLWithPath: "/usr/bin/script"), ["-qec", command, "/dev/null"], input: nil)
        return ToolRun(
            status: run.status, output: run.output,
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
    }

    /// Runs the tool with a terminal as standard error, as util-linux's `script` gives one: what is on it is the output.
    ///
    /// - Parameter arguments: without spaces and anything else that a shell takes for something.
    func runWithErrorsOnTerminal(_ arguments: [String]) throws -> ToolRun {
        let command = ([Self.executable.path] + arguments).joined(separator: " ")
        return try run(URL(fileURLWithPath: "/usr/bin/script"), ["-qec", command, "/dev/null"], input: nil)
    }

    private func run(_ executable: URL, _ arguments: [String], input: URL?) throws -> ToolRun {
        let number = UUID().uuidString
        let output = folder.appendingPathComponent("\(number).out")
        let errors = folder.appendingPathComponent("\(number).err")
        try Data().write(to: output)
        try Data().write(to: errors)
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        process.standardInput = try input.map { try FileHandle(forReadingFrom: $0) } ?? FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return ToolRun(
            status: process.terminationStatus, output: try Data(contentsOf: output),
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
    }
}
