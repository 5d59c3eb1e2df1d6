// How a file is coded, as lines for people and as JSON.

import ImageCodecs
import ImageInspection

extension FileMap {
    /// What is wrong with the file.
    var problems: [String] { remarks.filter(\.isProblem).map(\.text) }

    /// Lines that follow the list of parts.
    var textLines: [String] {
        var lines: [String] = []
        func add(_ line: String) { lines.append("  " + line.replacingControlCharacters) }
        add("bits:")
        for entry in account.entries {
            add("  " + "\(entry.bitCount)".padded(to: 12) + "\(entry.kind.rawValue)".padded(to: 12) + entry.name)
        }
        for section in sections {
            add(section.title.lowercased() + ":")
            for figure in section.figures { add("  \(figure.name): \(figure.value)") }
            for table in section.tables where !table.rows.isEmpty {
                if !table.title.isEmpty { add("  \(table.title):") }
                for row in (table.columns.isEmpty ? [] : [table.columns]) + table.rows {
                    add("    " + row.map { $0.padded(to: 14) }.joined(separator: " "))
                }
                if table.omittedRowCount > 0 { add("    \(table.omittedRowCount) more") }
            }
        }
        add("layers: " + layers.map(\.key).joined(separator: ", "))
        for remark in remarks where !remark.isProblem {
            add(remark.text + (remark.advice.isEmpty ? "" : "; \(remark.advice)"))
        }
        return lines.map { line in
            var line = line
            while line.unicodeScalars.last == " " { line.unicodeScalars.removeLast() }
            return line
        }
    }

    /// The same as data. Documented in `Documentation/inspecting.md`: names stay, new ones may come.
    var json: JSONValue {
        .object([
            ("width", .optional(size?.width)), ("height", .optional(size?.height)),
            (
                "bits",
                .array(
                    account.entries.map {
                        .object([
                            ("kind", .string($0.kind.rawValue)), ("name", .string($0.name)),
                            ("bitCount", .integer($0.bitCount)),
                        ])
                    })
            ),
            (
                "regions",
                .array(
                    regions.map {
                        .object([
                            ("offset", .integer($0.offset)), ("byteCount", .integer($0.byteCount)),
                            ("name", .string($0.name)), ("kind", .string($0.kind.rawValue)),
                        ])
                    })
            ),
            ("sections", .array(sections.map(\.json))), ("block", block?.json ?? .null),
            ("layers", .array(layers.map(\.json))),
            ("frames", .array(zip(0..., frames).map { Self.json($1.info, $0) })),
            (
                "remarks",
                .array(
                    remarks.map {
                        .object([
                            ("isProblem", .bool($0.isProblem)), ("text", .string($0.text)),
                            ("advice", .string($0.advice)),
                        ])
                    })
            ),
        ])
    }

    private static func json(_ frame: FrameInfo, _ index: Int) -> JSONValue {
        .object(
            [("index", .integer(index))] + frame.rectMembers
                + [("durationMS", .integer(Int((frame.duration / .milliseconds(1)).rounded())))] + frame.drawingMembers
                + [("composedFrom", .integer(frame.composedFromIndex))])
    }
}

extension CoefficientBlock {
    fileprivate var json: JSONValue {
        .object([
            ("x", .integer(place.x)), ("y", .integer(place.y)), ("width", .integer(place.width)),
            ("height", .integer(place.height)), ("bitCount", .integer(bitCount)),
            ("coefficients", .array(coefficients.map { .integer($0) })), ("steps", .array(steps.map { .integer($0) })),
            ("samples", .array(samples.map { .integer($0) })),
            (
                "symbols",
                .array(
                    symbols.map {
                        .object([
                            ("scan", .integer($0.scanIndex)), ("codeBitCount", .integer($0.codeBitCount)),
                            ("valueBitCount", .integer($0.valueBitCount)), ("text", .string($0.text)),
                        ])
                    })
            ),
        ])
    }
}

extension FileMap.Section {
    fileprivate var json: JSONValue {
        .object([
            ("title", .string(title)),
            ("figures", .array(figures.map { .object([("name", .string($0.name)), ("value", .string($0.value))]) })),
            (
                "tables",
                .array(
                    tables.map { table in
                        .object([
                            ("title", .string(table.title)), ("columns", .array(table.columns.map { .string($0) })),
                            ("rows", .array(table.rows.map { row in .array(row.map { .string($0) }) })),
                            ("omittedRowCount", .integer(table.omittedRowCount)),
                        ])
                    })
            ),
        ])
    }
}

extension MapLayer {
    fileprivate var json: JSONValue {
        var members: [(key: String, value: JSONValue)] = [
            ("key", .string(key)), ("name", .string(name)), ("unit", .string(unit)),
        ]
        switch kind {
        case .amounts(let parts): members += [("kind", .string("amounts")), ("partsPerUnit", .integer(parts))]
        case .numbers: members.append(("kind", .string("numbers")))
        case .identifiers: members.append(("kind", .string("identifiers")))
        case .colors: members.append(("kind", .string("colors")))
        case .classes(let classes):
            members += [("kind", .string("classes")), ("classes", .array(classes.map { .string($0.name) }))]
        }
        members += [
            ("width", .integer(area.width)), ("height", .integer(area.height)), ("cellWidth", .integer(cellSize.width)),
            ("cellHeight", .integer(cellSize.height)), ("columns", .integer(gridSize.width)),
            ("rows", .integer(gridSize.height)), ("values", .array(values.map { .integer(Int($0)) })),
        ]
        return .object(members)
    }
}
