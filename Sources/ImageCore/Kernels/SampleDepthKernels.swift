// Kernels that change the depth of samples: sixteen bits to eight and back, big-endian files to native order.
//
// They count samples, not pixels, if every sample is treated alike. 16 -> 8 is round(v/257), which is
// (v*255 + 32895) >> 16; 8 -> 16 is v*257.
//
// SAFETY, for every load and store here: `withPixelRows` has checked that both rows hold the pixels, and loops stay
// below their number; a loop that touches more bytes than its pixels have stops early enough, and says so.

#if !ReferenceKernels
enum SampleDepthKernels {
    /// Big-endian sixteen-bit samples -> eight bits.
    static func reduceBigEndian(_ source: RawSpan, into destination: inout MutableRawSpan, count: Int) {
        unsafe withPixelRows(source, 2 * count, &destination, count) { from, to in
            var i = 0
            while i < count {
                unsafe store(to, i, reduced(load(from, 2 &* i, as: UInt16.self).byteSwapped))
                i &+= 1
            }
        }
    }

    /// Native sixteen-bit samples -> eight bits.
    static func reduceNative(_ source: RawSpan, into destination: inout MutableRawSpan, count: Int) {
        unsafe withPixelRows(source, 2 * count, &destination, count) { from, to in
            var i = 0
            while i < count {
                unsafe store(to, i, reduced(load(from, 2 &* i, as: UInt16.self)))
                i &+= 1
            }
        }
    }

    /// Eight bits -> native sixteen-bit samples.
    static func widen(_ source: RawSpan, into destination: inout MutableRawSpan, count: Int) {
        unsafe withPixelRows(source, count, &destination, 2 * count) { from, to in
            var i = 0
            while i < count {
                unsafe store(to, 2 &* i, UInt16(truncatingIfNeeded: loadByte(from, i) &* 257))
                i &+= 1
            }
        }
    }

    /// Big-endian sixteen-bit samples -> native ones.
    static func swapBytes(_ source: RawSpan, into destination: inout MutableRawSpan, count: Int) {
        unsafe withPixelRows(source, 2 * count, &destination, 2 * count) { from, to in
            var i = 0
            while i < count {
                unsafe store(to, 2 &* i, load(from, 2 &* i, as: UInt16.self).byteSwapped)
                i &+= 1
            }
        }
    }

    /// Gray of sixteen bits -> RGBA of sixteen bits, both native.
    static func gray16ToRGBA16(_ source: RawSpan, into destination: inout MutableRawSpan, width: Int) {
        unsafe withPixelRows(source, 2 * width, &destination, 8 * width) { from, to in
            var x = 0
            while x < width {
                let gray = unsafe UInt64(truncatingIfNeeded: load(from, 2 &* x, as: UInt16.self))
                unsafe store(to, 8 &* x, gray &* 0x1_0001_0001 | opaque16)
                x &+= 1
            }
        }
    }

    /// Big-endian gray -> native RGBA of sixteen bits; alpha is 0 if the sample equals `key`.
    static func deepGrayToRGBA16(
        _ source: RawSpan, into destination: inout MutableRawSpan, width: Int, key: UInt16?
    ) {
        // No sample of sixteen bits equals a key of 2^16.
        let key = key.map { UInt32($0) } ?? 1 << 16
        unsafe withPixelRows(source, 2 * width, &destination, 8 * width) { from, to in
            var x = 0
            while x < width {
                let gray = unsafe loadBigEndian(from, 2 &* x)
                let color = UInt64(truncatingIfNeeded: gray) &* 0x1_0001_0001
                unsafe store(to, 8 &* x, gray == key ? color : color | opaque16)
                x &+= 1
            }
        }
    }

    /// Big-endian gray and alpha -> native RGBA of sixteen bits.
    static func deepGrayAlphaToRGBA16(_ source: RawSpan, into destination: inout MutableRawSpan, width: Int) {
        unsafe withPixelRows(source, 4 * width, &destination, 8 * width) { from, to in
            var x = 0
            while x < width {
                let gray = unsafe UInt64(truncatingIfNeeded: loadBigEndian(from, 4 &* x))
                let alpha = unsafe UInt64(truncatingIfNeeded: loadBigEndian(from, 4 &* x &+ 2))
                unsafe store(to, 8 &* x, gray &* 0x1_0001_0001 | alpha &<< 48)
                x &+= 1
            }
        }
    }

    /// Big-endian RGB -> native RGBA of sixteen bits; alpha is 0 if the pixel equals `key`.
    ///
    /// - Parameter key: Red in the low sixteen bits, then green, blue.
    static func deepRGBToRGBA16(
        _ source: RawSpan, into destination: inout MutableRawSpan, width: Int, key: UInt64?
    ) {
        let key = key ?? UInt64.max
        unsafe withPixelRows(source, 6 * width, &destination, 8 * width) { from, to in
            var x = 0
            while x < width {
                let r = unsafe UInt64(truncatingIfNeeded: loadBigEndian(from, 6 &* x))
                let g = unsafe UInt64(truncatingIfNeeded: loadBigEndian(from, 6 &* x &+ 2))
                let b = unsafe UInt64(truncatingIfNeeded: loadBigEndian(from, 6 &* x &+ 4))
                let color = r | g &<< 16 | b &<< 32
                unsafe store(to, 8 &* x, color == key ? color : color | opaque16)
                x &+= 1
            }
        }
    }

    /// Big-endian gray with a colour key -> RGBA of eight bits; alpha is 0 if the sample equals `key`, else 255.
    static func keyedDeepGrayToRGBA(
        _ source: RawSpan, into destination: inout MutableRawSpan, width: Int, key: UInt16
    ) {
        unsafe withPixelRows(source, 2 * width, &destination, 4 * width) { from, to in
            var x = 0
            while x < width {
                let gray = unsafe loadBigEndian(from, 2 &* x)
                let color = reduced(gray) &* 0x01_0101
                unsafe store(to, 4 &* x, gray == UInt32(key) ? color : color | 0xFF00_0000)
                x &+= 1
            }
        }
    }

    /// Big-endian RGB with a colour key -> RGBA of eight bits; alpha is 0 if the pixel equals `key`, else 255.
    ///
    /// - Parameter key: Red in the low sixteen bits, then green, blue.
    static func keyedDeepRGBToRGBA(
        _ source: RawSpan, into destination: inout MutableRawSpan, width: Int, key: UInt64
    ) {
        unsafe withPixelRows(source, 6 * width, &destination, 4 * width) { from, to in
            var x = 0
            while x < width {
                let r = unsafe loadBigEndian(from, 6 &* x)
                let g = unsafe loadBigEndian(from, 6 &* x &+ 2)
                let b = unsafe loadBigEndian(from, 6 &* x &+ 4)
                let color = reduced(r) | reduced(g) &<< 8 | reduced(b) &<< 16
                let deep = UInt64(r) | UInt64(g) &<< 16 | UInt64(b) &<< 32
                unsafe store(to, 4 &* x, deep == key ? color : color | 0xFF00_0000)
                x &+= 1
            }
        }
    }

    /// 65535 in the alpha of a native RGBA pixel.
    private static var opaque16: UInt64 { 0xFFFF_0000_0000_0000 }

    /// round(v/257) = (v*255 + 32895) >> 16, in sixteen bits throughout, so that eight samples fit a vector.
    ///
    /// With v = 256h + l the dividend is 256 * (v - h + 128) + 127 - l, and the last two add -1 to the sum if l > 127,
    /// else nothing.
    @inline(__always)
    static func reduced(_ sample: UInt16) -> UInt8 {
        UInt8(truncatingIfNeeded: (sample &- (sample &>> 8) &+ 128 &- ((sample &>> 7) & 1)) &>> 8)
    }

    @inline(__always)
    private static func reduced(_ sample: UInt32) -> UInt32 {
        UInt32(truncatingIfNeeded: reduced(UInt16(truncatingIfNeeded: sample)))
    }

    @inline(__always)
    private static func loadBigEndian(_ row: UnsafeRawPointer, _ offset: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: unsafe load(row, offset, as: UInt16.self).byteSwapped)
    }
}
#endif
