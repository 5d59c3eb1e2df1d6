import Testing
import ThumbnailServer

/// RFC 9110 §5.6.6 "Parameters".
@Suite struct HeaderValueTests {
    @Test(
        arguments: [
            ("", "", [:]), (";;=;", "", [:]), ("Text/Plain", "text/plain", [:]),
            ("form-data; name=\"a\"; FileName=b.png", "form-data", ["name": "a", "filename": "b.png"]),
            ("form-data ;name = a ; filename=\"b; c=d.png\"", "form-data", ["name": "a", "filename": "b; c=d.png"]),
            (#"form-data; filename="a \"quoted\" \\ name""#, "form-data", ["filename": #"a "quoted" \ name"#]),
            (#"form-data; name="x; filename=no""#, "form-data", ["name": "x; filename=no"]),
            (#"form-data; name="not ended; filename=no"#, "form-data", ["name": "not ended; filename=no"]),
            ("a; b=1; b=2; c", "a", ["b": "1", "c": ""]),
        ] as [(String, String, [String: String])])
    func parametersAreRead(text: String, value: String, parameters: [String: String]) {
        let header = HeaderValue(text)
        #expect(header.value == value)
        #expect(header.parameters.filter { !$0.key.isEmpty } == parameters)
    }
}
