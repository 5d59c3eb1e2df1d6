// The states of a statistics bin: which probability each estimates, and where it goes from there.

/// The table of the probability estimation state machine.
///
/// A bin of statistics is a byte:
///
///     bit 7      the more probable symbol (MPS)
///     bits 0-6   the state, an index into the table
///
/// - Source: ITU-T T.81 (1992) §D.1.5.3 "Probability estimation", table D.3.
package enum ProbabilityEstimation {
    /// `Qe` in bits 16-31; the state after an MPS in bits 8-15; the state after an LPS in bits 0-6, and in bit 7 whether the MPS
    /// then becomes the other symbol.
    ///
    /// State 113 is not in the standard's table: the fixed probability of one half, which never changes (§F.1.4.1.2). The
    /// entries after it make the table as long as seven bits can count.
    package static let transitions: [UInt32] = [
        0x5A1D_0181, 0x2586_020E, 0x1114_0310, 0x080B_0412, 0x03D8_0514, 0x01DA_0617, 0x00E5_0719, 0x006F_081C,
        0x0036_091E, 0x001A_0A21, 0x000D_0B23, 0x0006_0C09, 0x0003_0D0A, 0x0001_0D0C, 0x5A7F_0F8F, 0x3F25_1024,
        0x2CF2_1126, 0x207C_1227, 0x17B9_1328, 0x1182_142A, 0x0CEF_152B, 0x09A1_162D, 0x072F_172E, 0x055C_1830,
        0x0406_1931, 0x0303_1A33, 0x0240_1B34, 0x01B1_1C36, 0x0144_1D38, 0x00F5_1E39, 0x00B7_1F3B, 0x008A_203C,
        0x0068_213E, 0x004E_223F, 0x003B_2320, 0x002C_0921, 0x5AE1_25A5, 0x484C_2640, 0x3A0D_2741, 0x2EF1_2843,
        0x261F_2944, 0x1F33_2A45, 0x19A8_2B46, 0x1518_2C48, 0x1177_2D49, 0x0E74_2E4A, 0x0BFB_2F4B, 0x09F8_304D,
        0x0861_314E, 0x0706_324F, 0x05CD_3330, 0x04DE_3432, 0x040F_3532, 0x0363_3633, 0x02D4_3734, 0x025C_3835,
        0x01F8_3936, 0x01A4_3A37, 0x0160_3B38, 0x0125_3C39, 0x00F6_3D3A, 0x00CB_3E3B, 0x00AB_3F3D, 0x008F_203D,
        0x5B12_41C1, 0x4D04_4250, 0x412C_4351, 0x37D8_4452, 0x2FE8_4553, 0x293C_4654, 0x2379_4756, 0x1EDF_4857,
        0x1AA9_4957, 0x174E_4A48, 0x1424_4B48, 0x119C_4C4A, 0x0F6B_4D4A, 0x0D51_4E4B, 0x0BB6_4F4D, 0x0A40_304D,
        0x5832_51D0, 0x4D1C_5258, 0x438E_5359, 0x3BDD_545A, 0x34EE_555B, 0x2EAE_565C, 0x299A_575D, 0x2516_4756,
        0x5570_59D8, 0x4CA9_5A5F, 0x44D9_5B60, 0x3E22_5C61, 0x3824_5D63, 0x32B4_5E63, 0x2E17_565D, 0x56A8_60DF,
        0x4F46_6165, 0x47E5_6266, 0x41CF_6367, 0x3C3D_6468, 0x375E_5D63, 0x5231_6669, 0x4C0F_676A, 0x4639_686B,
        0x415E_6367, 0x5627_6AE9, 0x50E7_6B6C, 0x4B85_676D, 0x5597_6D6E, 0x504F_6B6F, 0x5A10_6FEE, 0x5522_6D70,
        0x59EB_6FF0, 0x5A1D_7171, 0x5A1D_7171, 0x5A1D_7171, 0x5A1D_7171, 0x5A1D_7171, 0x5A1D_7171, 0x5A1D_7171,
        0x5A1D_7171, 0x5A1D_7171, 0x5A1D_7171, 0x5A1D_7171, 0x5A1D_7171, 0x5A1D_7171, 0x5A1D_7171, 0x5A1D_7171,
    ]

    /// For each byte that a bin may be, an entry of ``transitions`` whose bytes of the next states are whole bins.
    static let bins: [UInt32] = transitions + transitions.map { $0 ^ 0x8080 }

    /// A bin of the fixed probability.
    package static let fixedState: UInt8 = 113
}
