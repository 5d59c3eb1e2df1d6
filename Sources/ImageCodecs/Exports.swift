// One import for everything: the values and protocols of ImageCore, and the coders.

@_exported public import APNGCodec
@_exported public import GIFCodec
@_exported public import ImageCodecsCore
@_exported public import ImageEncoding
@_exported public import ImagePalettes
@_exported public import ImagePhotoMetadata
@_exported public import JPEGBaselineCodec
@_exported public import JPEGCodec
@_exported public import PNGCodec
@_exported public import WebPCodec
@_exported public import WebPLosslessCodec
@_exported public import WebPLossyCodec
