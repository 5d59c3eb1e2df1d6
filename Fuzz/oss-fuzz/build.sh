#!/bin/bash -eu
# Builds the fuzzers as OSS-Fuzz and ClusterFuzzLite expect it: in an image of theirs for Swift, with the package in
# $SRC/swift-image-codecs and zlib's headers installed. Their `precompile_swift` says with which flags, $OUT takes one program
# for each part, its dictionary and its seeds.
. precompile_swift
cd "$SRC/swift-image-codecs"
export IMAGE_CODECS_FUZZERS=1
# shellcheck disable=SC2086
swift build -c release --product fuzz-components $SWIFTFLAGS
program=$(swift build -c release --show-bin-path)/fuzz-components

# Seeds of a part: fixtures of its format, and what fuzzers kept.
seeds() {
    case $1 in
    *-units) find "Tests/Fixtures/${1%-units}" -type f ! -name '*.json' ! -name '*.md' ;;
    inflate | kernels) find Tests/Fixtures/png -name '*.png' ;;
    lzw) find Tests/Fixtures/gif -name '*.gif' ;;
    vp8l | prefix-codes) find Tests/Fixtures/webp/lossless -name '*.webp' ;;
    vp8) find Tests/Fixtures/webp/lossy -name '*.webp' ;;
    esac
}

for part in $("$program" --parts); do
    cp "$program" "$OUT/fuzz-$part"
    dictionary=Fuzz/Dictionaries/${part%%-*}.dict
    [ ! -f "$dictionary" ] || cp "$dictionary" "$OUT/fuzz-$part.dict"
    seeds "$part" | zip -q -j -@ "$OUT/fuzz-${part}_seed_corpus.zip" || rm -f "$OUT/fuzz-${part}_seed_corpus.zip"
done
