// One import for everything: the values and protocols of ImageCore, and the coders.

@_exported public import APNG
@_exported public import GIF
@_exported public import ImageCore
@_exported public import JPEG
@_exported public import PNG
@_exported public import WebP
