// One import for the format: sessions that write files, dithering, and what metadata say.

@_exported public import ImageEncoding
@_exported public import ImagePalettes
@_exported public import ImagePhotoMetadata
