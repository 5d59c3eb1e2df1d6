// Plain twin of LumaRepairKernels: one word at a time, and none after the last.

import ImageCodecsCore

/// See the functions of the same names in ``LumaRepairKernels``.
package enum LumaRepairReference {
    package static func upsample(
        near: Int, far: Int, count: Int, room: Int, into result: Int, in workspace: inout MutableRawSpan
    ) {
        func blend(_ near: Int16, _ far: Int16) -> Int16 { (3 &* near &+ far &+ 2) >> 2 }
        for x in 0..<count { workspace.setWord(blend(workspace.word(near, x), workspace.word(far, x)), room, x) }
        workspace.setWord(workspace.word(room, 0), room, -1)
        workspace.setWord(workspace.word(room, count - 1), room, count)
        for x in 0..<count {
            let here = workspace.word(room, x)
            workspace.setWord(blend(here, workspace.word(room, x - 1)), result, 2 * x)
            workspace.setWord(blend(here, workspace.word(room, x + 1)), result, 2 * x + 1)
        }
    }

    package static func repair(
        luma: Int, cb: Int, cr: Int, decodedCb: Int, decodedCr: Int, count: Int, into result: Int,
        strength: Float = LumaRepair.strength, in workspace: inout MutableRawSpan
    ) {
        for first in stride(from: 0, to: count, by: 8) {
            let group = first..<first + 8
            let lost = group.map { x in
                (
                    workspace.word(cb, x) &- workspace.word(decodedCb, x),
                    workspace.word(cr, x) &- workspace.word(decodedCr, x)
                )
            }
            let isLost = lost.contains { max(abs(Int($0.0)), abs(Int($0.1))) > Int(LumaRepair.least) }
            for x in group {
                var value = workspace.word(luma, x)
                if isLost {
                    value &+= change(
                        Int32(value), cb: Int32(workspace.word(cb, x)), cr: Int32(workspace.word(cr, x)),
                        lostCb: Int32(lost[x - first].0), lostCr: Int32(lost[x - first].1), strength)
                }
                workspace.setWord(value, result, x)
            }
        }
    }

    private static func part(_ value: Int32, _ factor: Int32) -> Int32 { (value * factor) >> 16 }

    private static func change(
        _ y: Int32, cb: Int32, cr: Int32, lostCb: Int32, lostCr: Int32, _ strength: Float
    ) -> Int16 {
        func red(_ cr: Int32) -> Int32 { cr + part(cr, 26345) }
        func green(_ cb: Int32, _ cr: Int32) -> Int32 { part(cr, 18734) - part(cb, 22553) - cr }
        func blue(_ cb: Int32) -> Int32 { 2 * cb - part(cb, 14942) }
        let level = y + 2048
        let channels = [
            channel(level + red(cr), red(lostCr), 43, 9437, 12720),
            channel(level + green(cb, cr), green(lostCb, lostCr), 107, 23397, 31536),
            channel(level + blue(cb), blue(lostCb), 13, 2778, 3744),
        ]
        let error = channels.reduce(0) { $0 + $1.error }
        let weight = channels.reduce(0) { $0 + $1.weight }
        let quotient = Float(error) * strength / Float(weight)
        return max(-LumaRepair.most, min(LumaRepair.most, Int16(clamping: Int(quotient.rounded(.toNearestOrEven)))))
    }

    private static func channel(
        _ source: Int32, _ lost: Int32, _ k0: Int32, _ k1: Int32, _ k2: Int32
    ) -> (error: Int32, weight: Int32) {
        let color = max(0, min(4080, source))
        let decoded = max(0, min(4080, source - lost))
        let middle = ((color + decoded) >> 1) << 3
        let weight = k0 + part(middle, k1) + part(part(middle, middle), k2)
        return (part(weight, max(-1000, min(1000, color - decoded)) << 5), weight)
    }
}

#if ReferenceKernels
package typealias LumaRepairKernels = LumaRepairReference
#endif
