// Three by three numbers: how the light of three primaries adds up.

/// A matrix of three columns; vectors have a fourth number, which is not looked at and comes out as 0.
struct Matrix3: Hashable, Sendable {
    var columns: (x: SIMD4<Double>, y: SIMD4<Double>, z: SIMD4<Double>)

    init(columns x: SIMD4<Double>, _ y: SIMD4<Double>, _ z: SIMD4<Double>) { columns = (x, y, z) }

    /// From nine numbers, a row after the other.
    init(rows m: [Double]) {
        self.init(
            columns: SIMD4(m[0], m[3], m[6], 0), SIMD4(m[1], m[4], m[7], 0), SIMD4(m[2], m[5], m[8], 0))
    }

    static let identity = Matrix3(rows: [1, 0, 0, 0, 1, 0, 0, 0, 1])

    static func diagonal(_ d: SIMD4<Double>) -> Matrix3 { Matrix3(rows: [d.x, 0, 0, 0, d.y, 0, 0, 0, d.z]) }

    static func * (m: Matrix3, v: SIMD4<Double>) -> SIMD4<Double> {
        m.columns.x * v.x + m.columns.y * v.y + m.columns.z * v.z
    }

    static func * (a: Matrix3, b: Matrix3) -> Matrix3 {
        Matrix3(columns: a * b.columns.x, a * b.columns.y, a * b.columns.z)
    }

    static func == (a: Matrix3, b: Matrix3) -> Bool { a.columns == b.columns }

    func hash(into hasher: inout Hasher) {
        hasher.combine(columns.x)
        hasher.combine(columns.y)
        hasher.combine(columns.z)
    }

    /// The matrix that undoes this one; `nil` if there is none.
    var inverse: Matrix3? {
        let (a, b, c) = columns
        func cross(_ u: SIMD4<Double>, _ v: SIMD4<Double>) -> SIMD4<Double> {
            SIMD4(u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x, 0)
        }
        let determinant = (a * cross(b, c)).sum()
        guard abs(determinant) > 1e-9 else { return nil }
        let (r0, r1, r2) = (cross(b, c) / determinant, cross(c, a) / determinant, cross(a, b) / determinant)
        return Matrix3(rows: [r0.x, r0.y, r0.z, r1.x, r1.y, r1.z, r2.x, r2.y, r2.z])
    }
}

/// Light as the eye weighs it, and how one white becomes another.
enum Whites {
    /// The white of the profile connection space (ICC.1:2022 §7.2.16 "PCS illuminant field").
    static let d50 = SIMD4(0.9642, 1, 0.8249, 0)

    /// Tristimulus values of a chromaticity, Y at 1.
    static func tristimulus(x: Double, y: Double) -> SIMD4<Double> { SIMD4(x / y, 1, (1 - x - y) / y, 0) }

    /// The linear Bradford transform from one white to the D50 of profiles (ICC.1:2022 annex E "Chromatic adaptation tag").
    static func adaptation(fromWhite white: SIMD4<Double>) -> Matrix3 {
        let bradford = Matrix3(rows: [0.8951, 0.2664, -0.1614, -0.7502, 1.7135, 0.0367, 0.0389, -0.0685, 1.0296])
        guard let back = bradford.inverse else { return .identity }
        let (from, to) = (bradford * white, bradford * d50)
        guard from.x != 0, from.y != 0, from.z != 0 else { return .identity }
        return back * Matrix3.diagonal(SIMD4(to.x / from.x, to.y / from.y, to.z / from.z, 0)) * bradford
    }
}
