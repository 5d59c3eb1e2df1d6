// Plain twin of SurveyKernels.

import ImageCodecsCore
import ImageEncoding

/// See the functions of the same names in ``SurveyKernels``.
package enum SurveyReference {
    package static func squaredDifference(_ first: Int, _ second: Int, count: Int, in workspace: RawSpan) -> Int {
        (0..<count).reduce(0) { sum, x in
            let difference = Int((workspace.word(first, x) &- workspace.word(second, x)) >> 2)
            return sum + difference * difference
        }
    }

    package static func equalNeighbours(_ row: Int, count: Int, in workspace: RawSpan) -> Int {
        (0..<count).count { workspace.word(row, $0) == workspace.word(row, $0 + 1) }
    }
}

#if ReferenceKernels
package typealias SurveyKernels = SurveyReference
#endif
