// One import for the codecs together with their `Data` and `URL` conveniences.

@_exported public import ImageCodecs
