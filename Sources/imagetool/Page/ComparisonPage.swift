// A page about two files, side by side: what imagetool inspect --compare writes.

import ImageCodecs
import ImageInspection

/// Two files and where each spent its bits.
struct ComparisonPage {
    /// The whole page.
    let text: String

    init(_ first: InspectedFile, _ second: InspectedFile) throws(ImageError) {
        let files = [first, second]
        let tops = Self.tops(files)
        let title = "\(first.name) and \(second.name)"
        let pictures = try files.map { (file) throws(ImageError) in try Self.picture(file) }
        var figures: [HTML] = []
        for (index, file) in files.enumerated() {
            guard let layer = Self.bits(file) else { continue }
            let figure = try PageLayers.figure(layer, id: "layer-\(index)", top: tops[index])
            figures.append("<div><p>\(file.name)</p>\(figure)</div>")
        }
        let layers: HTML =
            figures.isEmpty
            ? ""
            : """
            <section aria-labelledby="layers"><h2 id="layers">Where each spent them</h2>
            <p>The same color is the same number of bits for a pixel in both.</p><div class="layers pair">\(figures)</div></section>

            """
        text =
            InspectionPage.document(
                title,
                """
                <header><h1>\(title)</h1></header><main>
                <section aria-labelledby="pictures"><h2 id="pictures">Pictures</h2><div class="pair">\(pictures)</div></section>
                <section aria-labelledby="bits"><h2 id="bits">Where the bits go</h2>\(Self.account(first, second))</section>
                \(layers)<section aria-labelledby="figures"><h2 id="figures">Figures</h2><div class="pair">\(files.map(Self.figures))</div></section>
                </main>
                """
            ).source
    }

    /// The layer of all bits.
    private static func bits(_ file: InspectedFile) -> MapLayer? { file.map.layers.first { $0.key == "bits" } }

    /// The value of the brightest colour of each file's bits, by one scale of bits for a pixel.
    private static func tops(_ files: [InspectedFile]) -> [Int?] {
        func pixels(_ layer: MapLayer) -> Double { Double(max(1, layer.cellSize.width * layer.cellSize.height)) }
        let layers = files.map(bits)
        let most = layers.compactMap { $0 }.reduce(0.0) { max($0, Double($1.values.max() ?? 0) / pixels($1)) }
        return layers.map { layer in layer.map { Int(most * pixels($0)) } }
    }

    private static func picture(_ file: InspectedFile) throws(ImageError) -> HTML {
        let size = file.map.size.map { ", \($0) pixels" } ?? ""
        let words: HTML =
            "<h3>\(file.name)</h3><p class=\"note\">\(file.map.listing.format.name)\(size), \(file.structure.data.count.counted("byte"))</p>"
        guard let picture = file.picture else { return "<div>\(words)<p>Nothing of it can be decoded.</p></div>" }
        let bytes = try RasterImage(bitmap: picture).encoded(as: .png)
        return "<div>\(words)<img alt=\"The picture in \(file.name)\" src=\"\(HTML.address(of: bytes))\"></div>"
    }

    private static func account(_ first: InspectedFile, _ second: InspectedFile) -> HTML {
        var rows: [HTML] = []
        for kind in BitAccount.Kind.allCases {
            let entries = [first, second].map { file in file.map.account.entries.filter { $0.kind == kind } }
            var names: [String] = []
            for entry in entries.joined() where !names.contains(entry.name) { names.append(entry.name) }
            for name in names {
                let counts = entries.map { entries in
                    HTML("<td>\(entries.first { $0.name == name }.map { String($0.bitCount) } ?? "")</td>")
                }
                rows.append(
                    "<tr><td>\(PageBytes.swatch(kind))\(PageBytes.words(kind))</td><td>\(name)</td>\(counts)</tr>\n")
            }
        }
        return """
            <p>\(first.name)</p>\(PageBytes.bar(first.map))<p>\(second.name)</p>\(PageBytes.bar(second.map))
            <div class="scroll" tabindex="0" role="group" aria-label="Bits by use"><table><caption>Bits by use</caption>
            <thead><tr><th scope="col">for</th><th scope="col">what</th><th scope="col">\(first.name)</th><th scope="col">\(second.name)</th></tr></thead>
            <tbody>\(rows)</tbody><tfoot><tr><th scope="row" colspan="2">the file</th><td>\(first.map.account.bitCount)</td>\
            <td>\(second.map.account.bitCount)</td></tr></tfoot></table></div>

            """
    }

    private static func figures(_ file: InspectedFile) -> HTML {
        let sections = file.map.sections.filter { !$0.figures.isEmpty }.map { section -> HTML in
            let figures = section.figures.map { HTML("<dt>\($0.name)</dt><dd>\($0.value)</dd>") }
            return "<p>\(section.title)</p><dl>\(figures)</dl>"
        }
        return "<div><h3>\(file.name)</h3>\(sections)</div>"
    }
}
