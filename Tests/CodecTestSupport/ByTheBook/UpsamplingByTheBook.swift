// Chroma upsampling as scalar code on whole planes: what every upsampling kernel must reproduce.

package import JPEGBaselineCodec

/// Upsamples planes.
package enum UpsamplingByTheBook {
    /// Brings a plane of `width` x `height` samples to `factor` times that in each direction.
    ///
    /// - Parameter plane: `height` rows of `width` samples.
    /// - Returns: Rows of the upsampled plane.
    package static func upsample(_ plane: [[UInt8]], _ way: ChromaUpsampling) -> [[UInt8]] {
        switch way {
        case .none: plane
        case .fancyH2V1: plane.map { interpolateAcross($0.map(Int.init), weight: 4, 1, 2).map { UInt8($0) } }
        case .fancyH1V2: zip(0..., interpolateDown(plane)).map { y, row in row.map { UInt8(($0 + 1 + y % 2) / 4) } }
        case .fancyH2V2: interpolateDown(plane).map { interpolateAcross($0, weight: 16, 8, 7).map { UInt8($0) } }
        case .replicated(let across, let down):
            plane.flatMap { row in
                Array(repeating: row.flatMap { Array(repeating: $0, count: across) }, count: down)
            }
        }
    }

    /// Two sums `3 * near + far` for each row: with the row above, with the row below.
    private static func interpolateDown(_ plane: [[UInt8]]) -> [[Int]] {
        plane.indices.flatMap { y in
            [plane[max(y - 1, 0)], plane[min(y + 1, plane.count - 1)]].map { far in
                zip(plane[y], far).map { 3 * Int($0) + Int($1) }
            }
        }
    }

    private static func interpolateAcross(_ row: [Int], weight: Int, _ leftBias: Int, _ rightBias: Int) -> [Int] {
        var output: [Int] = []
        for x in row.indices {
            let left = row[max(x - 1, 0)]
            let right = row[min(x + 1, row.count - 1)]
            output.append((3 * row[x] + left + leftBias) / weight)
            output.append((3 * row[x] + right + rightBias) / weight)
        }
        return output
    }
}
