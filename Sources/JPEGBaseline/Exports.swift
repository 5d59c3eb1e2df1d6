// One import for the format: what metadata say.

@_exported public import ImagePhotoMetadata
