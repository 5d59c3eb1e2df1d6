// One import for the format: sessions that write files, and what metadata say.

@_exported public import ImageEncoding
@_exported public import ImagePhotoMetadata
