#if os(Linux)
import CodecTestSupport
import Foundation
import Testing

/// File names whose bytes are no UTF-8, which only a shell can give: the tool is run by one.
@Suite struct NameBytesTests {
    /// Runs a script in a new folder that has a picture called `c`, FF, `.png`; the tool is `$1`, the folder `$2`.
    private func run(_ script: String, _ tool: borrowing Tool) throws -> ToolRun {
        let landscape = Fixture.folder("png").appendingPathComponent("landscape.png").path
        return try tool.runInShell(
            #"tool=$1; mkdir "$2/w"; cd "$2/w"; name="$(printf 'c\377')"; cp "$3" "$name.png"; "# + script, [landscape])
    }

    @Test func namesOpenAndAreWritten() throws {
        let tool = try Tool()
        let run = try run(
            #"""
            "$tool" convert "$name.png" -o "d$name.jpg" && "$tool" info "d$name.jpg" && ls | od -An -c | tr -d ' \n'
            """#, tool)
        #expect(run.status == 0)
        #expect(run.errors.isEmpty)
        // 63 FF 2E 70 6E 67, and the same name with a d before it: bytes, not what stands for them.
        #expect(run.lines.last == #"c377.png\ndc377.jpg\n"#)
        #expect(run.lines.first == "dc\u{FFFD}.jpg")
    }

    @Test func foldersAndListsHaveThem() throws {
        let tool = try Tool()
        let run = try run(
            #"""
            mkdir -p "in$name/$name" && cp "$name.png" "in$name/$name/"
            "$tool" thumbnail --size 20 --recursive "in$name" -o "out$name/deep" || exit 7
            cmp "out$name/deep/$name/$name.png" "out$name/deep/$name/$name.png" || exit 8
            find "in$name" -type f -print0 | "$tool" convert --files0-from - -o "list$name/{stem}.jpg" || exit 9
            test -s "list$name/$name.jpg"
            """#, tool)
        #expect(run.errors == "")
        #expect(run.status == 0)
    }

    @Test func messagesShowThemRepaired() throws {
        let run = try run(#""$tool" info "no$name" --bad"$name""#, Tool())
        #expect(run.status == 2)
        #expect(run.errors.contains("--badc\u{FFFD}"))
        let other = try self.run(#""$tool" info "no$name""#, Tool())
        #expect(other.status == 1)
        #expect(other.errors == "noc\u{FFFD}: No such file or directory\n")
    }

    /// A report names the bytes, and a request can name them in the same way.
    @Test func jsonEscapesThem() throws {
        let tool = try Tool()
        let run = try run(
            #"""
            "$tool" checksum "$name.png"; printf '%s\n' '{"id":1,"operation":"convert","path":"c\uefff.png","output":"d\uefff.jpg"}' | "$tool" batch
            ls d* | od -An -tx1
            """#, tool)
        #expect(run.lines.first?.hasPrefix(#"{"path":"c\uefff.png","#) == true)
        #expect(run.lines.last == " 64 ff 2e 6a 70 67 0a")
        #expect(run.errors == "")
    }

    /// A name that has such a code point in UTF-8 is the name of its three bytes.
    @Test func namesWithTheCodePointsThemselvesOpen() throws {
        let tool = try Tool()
        let run = try run(
            #"""
            other="$(printf '\356\277\277')"; mv "$name.png" "$other.png"; "$tool" checksum "$other.png"
            "$tool" convert --recursive . -o out || exit 7; test -s "out/$other.png"
            """#, tool)
        #expect(run.text.hasPrefix(#"{"path":"\uefee\uefbf\uefbf.png","#))
        #expect(run.status == 0)
    }
}
#endif
