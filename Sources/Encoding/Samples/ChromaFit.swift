// Chroma at half the size, fitted to the decoder's upsampling: what the kernels compute, and for which rows.

/// Two steps of descent towards the half-size chroma whose upsampling is nearest to the chroma of the picture.
///
/// Decoders upsample with the triangle filter `U`: weights 3/4 and 1/4 in both directions. Starting with `d0`, the mean of
/// each 2x2 samples, a step is `d + 0.4 U'(c - U d)`, `U'` being the adjoint of `U`. Both steps together are
///
///     g  = 0.4 (U'c - U'U d0)
///     d2 = d0 + 2 g - 0.4 U'U g
///
/// and as `U'U` is a filter of 3x3 samples on the half-size grid, with weights 3/8, 5/4, 3/8 in each direction, nothing is ever
/// upsampled. `U'c` has weights 1/4, 3/4, 3/4, 1/4 in each direction. Kernels keep both divided by 4, so that a flat area
/// keeps its value, and multiply by 1.6.
///
/// Rows that a row of the result needs: corrections of the rows above and below it, so means of two rows above and below, so
/// of the picture five rows more than its own two.
package enum ChromaFit {
    /// Rows of the picture below the first of row `i`'s two that row `i` of the result needs.
    package static let rowsAhead = 6
}
