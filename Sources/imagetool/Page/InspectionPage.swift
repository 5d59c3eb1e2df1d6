// A page about one file: what imagetool inspect --html writes.

import ImageCodecs
import ImageInspection

/// The page, with everything in it.
struct InspectionPage {
    /// Bytes that a page has at most.
    private static let maxByteCount = 5_000_000

    /// The whole page.
    let text: String

    /// - Parameters:
    ///   - file: what it is about.
    ///   - limits: those of a decode.
    init(_ file: InspectedFile, limits: DecodingLimits) throws(ImageError) {
        var text = try Self.page(file.name, file.structure, file.map, file.picture).source
        var cellCount = InspectedFile.cellCount
        // Fewer values until the page is small enough; a few thousand always are.
        while text.utf8.count > Self.maxByteCount, cellCount > 1 << 12 {
            cellCount /= 4
            let map = try FileMap(
                of: file.structure.data, limits: limits, maxCellCount: cellCount, block: file.block?.pixel)
            text = try Self.page(file.name, file.structure, map, file.picture).source
        }
        self.text = text
    }

    private static func page(
        _ name: String, _ structure: FileStructure, _ map: FileMap, _ picture: Bitmap?
    ) throws(ImageError) -> HTML {
        let layers = PageLayers(map, picture: picture)
        let figures = try layers.figures()
        let size = map.size.map { ", \($0) pixels" } ?? ""
        let layerSection: HTML =
            figures.isEmpty
            ? ""
            : """
            <section aria-labelledby="layers"><h2 id="layers">Layers</h2>
            <p>What the coder did where\(reduction(map)). A legend has the smallest value, the largest and three of those between, or names and \
            the share of each.</p>
            <div class="layers">\(figures)</div></section>

            """
        return document(
            "\(name): \(map.listing.format.name) inspected",
            """
            <header><h1>\(name)</h1><p class="lead">\(map.listing.format.name)\(size), \(structure.data.count.counted("byte"))</p>
            \(navigation(map, hasLayers: !figures.isEmpty))</header><main>
            <section aria-labelledby="findings"><h2 id="findings">Findings</h2>\(findings(map))</section>
            <section aria-labelledby="picture"><h2 id="picture">Picture</h2>\(try layers.viewer(name))</section>
            <section aria-labelledby="bits"><h2 id="bits">Where the bits go</h2>\(PageBytes.account(map))</section>
            \(layerSection)\(try zip(0..., map.sections).map { (index, part) throws(ImageError) in try section(index, part) })\(PageTimeline.section(map))\
            <section aria-labelledby="bytes"><h2 id="bytes">The file</h2>\(PageBytes.parts(structure, map))</section>
            </main>
            """)
    }

    /// A page with style and script around its content.
    static func document(_ title: String, _ content: HTML) -> HTML {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
        <meta http-equiv="Content-Security-Policy" content="img-src data:;connect-src 'none';font-src 'none';frame-src 'none';object-src 'none';base-uri 'none';form-action 'none'">
        <meta name="color-scheme" content="light dark"><title>\(title)</title>
        <style>\(PageStyle.style)</style></head><body>
        \(content)<footer><p class="note">Made by imagetool inspect of swift-image-codecs. Everything is in this page; it asks for nothing else.</p></footer>
        <script>\(PageStyle.script)</script></body></html>

        """
    }

    /// Says that values stand for several pixels, if they do.
    private static func reduction(_ map: FileMap) -> String {
        map.layers.contains { $0.step > 1 }
            ? "; the picture is large, so a value stands for several pixels or blocks" : ""
    }

    private static func navigation(_ map: FileMap, hasLayers: Bool) -> HTML {
        var links: [(id: String, title: String)] = [
            ("findings", "Findings"), ("picture", "Picture"), ("bits", "Where the bits go"),
        ]
        if hasLayers { links.append(("layers", "Layers")) }
        links += zip(0..., map.sections).map { ("section-\($0)", $1.title) }
        if !map.frames.isEmpty { links.append(("timeline", "Frames")) }
        links.append(("bytes", "The file"))
        return
            "<nav aria-label=\"Sections\"><ul>\(links.map { HTML("<li><a href=\"#\($0.id)\">\($0.title)</a></li>") })</ul></nav>"
    }

    private static func findings(_ map: FileMap) -> HTML {
        guard !map.remarks.isEmpty else { return "<p>Nothing is wrong with the file, and nothing stands out.</p>" }
        let items = map.remarks.map { remark -> HTML in
            let mark: HTML = remark.isProblem ? "<span class=\"problem\">Problem:</span> " : ""
            let advice: HTML =
                remark.advice.isEmpty ? "" : "<br><span class=\"note\">What to do: \(remark.advice).</span>"
            return "<li>\(mark)\(remark.text).\(advice)</li>"
        }
        return "<ul class=\"findings\">\(items)</ul>"
    }

    private static func section(_ index: Int, _ section: FileMap.Section) throws(ImageError) -> HTML {
        let figures = section.figures.map { HTML("<dt>\($0.name)</dt><dd>\($0.value)</dd>") }
        let list: HTML = figures.isEmpty ? "" : "<dl>\(figures)</dl>"
        let figure = try section.block.map { (block) throws(ImageError) in try Self.figure(block) } ?? ""
        return """
            <section aria-labelledby="section-\(index)"><h2 id="section-\(index)">\(section.title)</h2>
            <p>\(section.introduction)</p>\(list)\(figure)\(section.tables.map { table($0, section.title) })</section>

            """
    }

    /// A block as its patterns.
    private static func figure(_ block: CoefficientBlock) throws(ImageError) -> HTML {
        let bitmap = try block.bitmap()
        let bytes = try RasterImage(bitmap: bitmap).encoded(as: .png)
        let count = block.coefficients.count { $0 != 0 }
        return """
            <figure class="block"><img width="\(bitmap.width)" height="\(bitmap.height)" \
            alt="Eight rows of eight patterns, \(count) of them not empty, and the block that they come to" \
            src="\(HTML.address(of: bytes))"><figcaption>Left, the patterns: from left to right finer across, from top to bottom finer down; empty \
            ones are zero. Right, the block: all of them together.</figcaption></figure>

            """
    }

    private static func table(_ table: FileMap.Table, _ section: String) -> HTML {
        let heads = table.columns.map { HTML("<th scope=\"col\">\($0)</th>") }
        let head: HTML = heads.isEmpty ? "" : "<thead><tr>\(heads)</tr></thead>"
        let rows = table.rows.map { row -> HTML in
            let cells = zip(0..., row).map { column, text -> HTML in
                guard column == table.colorColumn else { return "<td>\(text)</td>" }
                return "<td><span class=\"swatch\" style=\"background:\(text)\"></span>\(text)</td>"
            }
            return "<tr>\(cells)</tr>"
        }
        let title = table.title.isEmpty ? section : table.title
        let omission: HTML =
            table.omittedRowCount > 0 ? "<p class=\"note\">\(table.omittedRowCount) more are not listed.</p>" : ""
        return """
            <div class="scroll" tabindex="0" role="group" aria-label="\(title)"><table><caption>\(title)</caption>\(head)<tbody>\(rows)</tbody></table></div>\(omission)

            """
    }
}
