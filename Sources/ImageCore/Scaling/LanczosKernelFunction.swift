// The Lanczos kernel as a function, computed without a mathematical library, so that every processor gets the same
// weights.

/// The Lanczos kernel with three lobes: `sinc(x) * sinc(x / 3)` inside ±3, 0 outside.
///
/// With `s = sin(πx / 3)` and `sin(3t) = sin(t) * (3 - 4 sin²(t))` that is `3 s² (3 - 4 s²) / (πx)²`: one sine.
///
/// Source: C. Duchon, "Lanczos Filtering in One and Two Dimensions", Journal of Applied Meteorology 18 (1979), §2.
package func lanczos(_ x: Double) -> Double {
    let magnitude = abs(x)
    guard magnitude > 1e-9 else { return 1 }
    guard magnitude < 3 else { return 0 }
    let sine = sineOfPi(times: magnitude / 3)
    let square = sine * sine
    let angle = Double.pi * magnitude
    return 3 * square * (3 - 4 * square) / (angle * angle)
}

/// `sin(πx)` for |x| < 2^52 from additions and multiplications alone.
///
/// Subtracting the nearest whole number is exact; what is left lies in ±1/2, where the Taylor series up to the 19th
/// power stops 2.6e-16 short at most. The absolute error is below 1e-15; a weight's unit is 6e-5.
package func sineOfPi(times x: Double) -> Double {
    let magnitude = abs(x)
    let whole = Int(magnitude + 0.5)
    let angle = (magnitude - Double(whole)) * Double.pi
    let square = angle * angle
    // 1 - a²/(2·3) · (1 - a²/(4·5) · (1 - …)): Horner's scheme, innermost factor first.
    var factor = 1 - square * (1.0 / (18 * 19))
    factor = 1 - square * (1.0 / (16 * 17)) * factor
    factor = 1 - square * (1.0 / (14 * 15)) * factor
    factor = 1 - square * (1.0 / (12 * 13)) * factor
    factor = 1 - square * (1.0 / (10 * 11)) * factor
    factor = 1 - square * (1.0 / (8 * 9)) * factor
    factor = 1 - square * (1.0 / (6 * 7)) * factor
    factor = 1 - square * (1.0 / (4 * 5)) * factor
    factor = 1 - square * (1.0 / (2 * 3)) * factor
    let sine = angle * factor
    return (x < 0) == (whole & 1 == 0) ? -sine : sine
}
