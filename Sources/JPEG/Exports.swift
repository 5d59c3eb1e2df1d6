// JPEG: one coder for every JPEG process this package decodes.

@_exported public import ImageCore
