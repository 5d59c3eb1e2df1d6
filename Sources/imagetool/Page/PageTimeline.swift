// The frames of an animation on the page: how long each is shown, and which part of the canvas it draws.

import ImageCodecs
import ImageInspection

/// The section about frames.
enum PageTimeline {
    /// Frames that are drawn.
    private static let maxDrawnCount = 120

    /// A strip of durations, and a small picture of each frame's rectangle.
    static func section(_ map: FileMap) -> HTML {
        guard !map.frames.isEmpty, let size = map.size else { return "" }
        let total = map.frames.reduce(0) { $0 + $1.info.duration.milliseconds }
        let bars = zip(0..., map.frames.prefix(maxDrawnCount)).map { index, frame in
            HTML(
                """
                <span title="frame \(index): \(frame.info.duration.milliseconds) ms" style="flex-grow:\(max(1, frame.info.duration.milliseconds));\
                background:\(index % 2 == 0 ? "#2f7fc1" : "#5ba84c")"></span>
                """)
        }
        let items = zip(0..., map.frames.prefix(maxDrawnCount)).map { item($0, $1.info, size) }
        let rest = map.frames.count + map.omittedFrameCount - items.count
        let omission: HTML = rest > 0 ? "<p class=\"note\">\(rest) more are not drawn.</p>" : ""
        return """
            <section aria-labelledby="timeline"><h2 id="timeline">Frames</h2>
            <p>\((map.frames.count + map.omittedFrameCount).counted("frame")), \(total) ms\(map.omittedFrameCount > 0 ? " of the first" : ""). \
            Widths are durations; below, the part of the canvas that each frame draws.</p>
            <div class="strip" aria-hidden="true">\(bars)</div><ul class="frames">\(items)</ul>\(omission)</section>

            """
    }

    private static func item(_ index: Int, _ frame: FrameInfo, _ size: PixelSize) -> HTML {
        let rect = frame.rect
        return """
            <li><svg viewBox="0 0 \(size.width) \(size.height)" role="img" aria-label="frame \(index) draws \("\(rect)") of \("\(size)")">\
            <rect width="\(size.width)" height="\(size.height)" fill="none" stroke="#8a8a96" stroke-width="1" vector-effect="non-scaling-stroke"/>\
            <rect x="\(rect.x)" y="\(rect.y)" width="\(rect.width)" height="\(rect.height)" fill="#2f7fc1"/></svg>\
            <strong>frame \(index)</strong>, \(frame.duration.milliseconds) ms<br>\("\(rect)")<br>\(frame.drawing)<br>\(frame.origin(of: index))</li>

            """
    }
}

extension Duration {
    /// At least 0.
    fileprivate var milliseconds: Int { max(0, Int((self / .milliseconds(1)).rounded())) }
}
