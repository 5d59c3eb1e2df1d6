// Short names of the 128-bit vectors that the kernels of several formats compute with.

#if !ReferenceKernels
package typealias Bytes16 = SIMD16<UInt8>
package typealias Words = SIMD8<Int16>
package typealias UnsignedWords = SIMD8<UInt16>
package typealias Longs = SIMD4<Int32>
#endif
