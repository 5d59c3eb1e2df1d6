// A progressive frame: coefficients in the store, delivered band by band and bit by bit.
//
//   spectral selection          a scan carries zig-zag positions Ss...Se; DC alone (Ss = Se = 0) or AC alone
//   successive approximation    a scan carries bits from Al up: all of them (Ah = 0, a first scan), or bit Al
//                               of coefficients whose higher bits are known (Ah = Al + 1, a refinement scan)
//
//   DC first        DCKernels.decodeFirst    differences, as in sequential scans, shifted by Al
//   DC refinement   DCKernels.refine         one bit per block
//   AC first        ACKernels.decodeFirst    runs and values, and runs of blocks without any (end-of-band runs)
//   AC refinement   ACKernels.refine         new coefficients of one bit, correction bits for the others

package import ImageCodecsCore
package import JPEGBaselineCodec

extension MultiScanFrame {
    /// What decodes a progressive frame.
    ///
    /// - Parameter reusable: A bitmap whose memory is reused when it fits; always taken.
    /// - Throws: `limitExceeded`.
    /// - Source: ITU-T T.81 (1992) annex G "Progressive DCT-based mode of operation".
    package static func progressive(_ request: FrameRequest, reusable: inout Bitmap?) throws(ImageError) -> Self {
        try Self(request, of: ProgressiveScan.self, reusable: &reusable)
    }
}
