package enum Tuning {
    nonisolated(unsafe) package static var v = [Int](repeating: -1, count: 32)
    nonisolated(unsafe) package static var copies: [UInt64] = []
    static func get(_ i: Int, _ d: Int) -> Int { v[i] >= 0 ? v[i] : d }
}
