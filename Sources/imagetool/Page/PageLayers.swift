// Layers on the page: a picture of each with its legend, and the picture that the script lays them over.

import ImageCodecs
import ImageInspection

/// Layers as figures.
struct PageLayers {
    private let map: FileMap
    /// The picture as it is shown, its size the file's or smaller.
    private let picture: Bitmap?

    init(_ map: FileMap, picture: Bitmap?) { (self.map, self.picture) = (map, picture) }

    /// The picture with what lays layers over it.
    func viewer(_ name: String) throws(ImageError) -> HTML {
        guard let picture, let size = map.size else {
            return "<p>The picture cannot be shown: nothing of it can be decoded.</p>"
        }
        let bytes = try RasterImage(bitmap: picture).encoded(as: .png)
        let small = max(size.width, size.height) < 512
        let width = Self.shownWidth(size)
        let options = zip(0..., map.layers).map { HTML("<option value=\"\($0)\">\($1.name)</option>") }
        return """
            <div class="tools" hidden>
            <label>Layer <select><option value="">none</option>\(options)</select></label>
            <label>Opacity <input type="range" min="0" max="100" value="75"></label>
            </div>
            <div class="stage" tabindex="0" role="group" aria-label="The picture; arrow keys move a cursor, whose value is told below" \
            data-size="\(size.width) \(size.height)" style="width:\(width)px">
            <img \(HTML(trusted: small ? "class=\"pixelated\" " : ""))width="\(size.width)" height="\(size.height)" alt="The picture in \(name)" \
            src="\(HTML.address(of: bytes))">
            </div>
            <output id="value" aria-live="polite"></output>

            """
    }

    /// Small pictures are magnified to whole pixels.
    private static func shownWidth(_ size: PixelSize) -> Int {
        let side = max(size.width, size.height, 1)
        return side >= 640 ? min(size.width, 1100) : size.width * max(1, min(16, 640 / side))
    }

    /// Every layer with its legend.
    func figures() throws(ImageError) -> [HTML] {
        try map.layers.map { (layer) throws(ImageError) in try Self.figure(layer, id: "layer-\(layer.key)") }
    }

    /// A layer with its legend.
    ///
    /// - Parameter top: the value of the brightest colour; `nil` for the largest there is.
    static func figure(_ layer: MapLayer, id: String, top: Int? = nil) throws(ImageError) -> HTML {
        let coloring = LayerColoring(layer, top: top)
        let bytes = try RasterImage(bitmap: coloring.bitmap()).encoded(as: .png)
        let legend = coloring.legend.map { entry in
            HTML("<li><span class=\"swatch\" style=\"background:\(entry.color.htmlColor)\"></span>\(entry.words)</li>")
        }
        let edges = isCut(layer) ? ", the last of which reach beyond the picture" : ""
        let of = layer.cellWords == "pixel" ? "" : " One value for each \(layer.cellWords)\(edges)."
        let knownCount = max(1, layer.values.count { $0 >= 0 })
        let sum =
            layer.sum.map { " \($0) \(layer.unit) in all, \((Double($0) / Double(knownCount)).fixed(1)) on average." }
            ?? ""
        let rounding =
            coloring.isExact
            ? ""
            : " There are more values than colors: a color is for values up to its own, and the pointer rounds up."
        let shape = PixelSize(
            width: layer.gridSize.width * layer.cellSize.width, height: layer.gridSize.height * layer.cellSize.height)
        return """
            <figure id="\(id)"><h3>\(layer.name)</h3>
            <img alt="\(layer.name) as colors over the picture. \(layer.explanation)" \
            style="aspect-ratio:\(shape.width)/\(shape.height);max-width:calc(32rem*\(shape.width)/\(shape.height))" \
            data-layer="\(data(layer, coloring).text)" src="\(HTML.address(of: bytes))">
            <ul class="legend">\(legend)</ul>
            <figcaption>\(layer.explanation + of + sum + rounding)</figcaption></figure>

            """
    }

    /// Whether blocks, of which cells are one or several, reach beyond the right or the lower edge.
    private static func isCut(_ layer: MapLayer) -> Bool {
        layer.area.width % max(1, layer.cellSize.width / layer.step) != 0
            || layer.area.height % max(1, layer.cellSize.height / layer.step) != 0
    }

    /// What the script needs to tell a value.
    private static func data(_ layer: MapLayer, _ coloring: LayerColoring) -> JSONValue {
        func pair(_ size: PixelSize) -> JSONValue { .array([.integer(size.width), .integer(size.height)]) }
        let place = layer.place
        return .object([
            ("place", .array([place.x, place.y, place.width, place.height].map { .integer($0) })),
            ("area", pair(layer.area)), ("grid", pair(layer.gridSize)), ("cell", pair(layer.cellSize)),
            ("of", .string(layer.cellWords)), ("exact", .bool(coloring.isExact)),
            ("colors", .bool(layer.kind == .colors)),
            (
                "words",
                .object(coloring.entries.map { ($0.color.hexadecimal(digits: 6), .string($0.words)) })
            ),
        ])
    }
}
