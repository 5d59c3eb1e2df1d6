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

. Fuzz/parts.sh
for part in $("$program" --parts); do
    cp "$program" "$OUT/fuzz-$part"
    words=Fuzz/Dictionaries/$(dictionary "$part").dict
    [ ! -f "$words" ] || cp "$words" "$OUT/fuzz-$part.dict"
    folder=$(FUZZ_PART=$part "$program" --seeds)
    [ -z "$folder" ] || find "Tests/Fixtures/$folder" -type f ! -name '*.json' ! -name '*.md' |
        zip -q -j -@ "$OUT/fuzz-${part}_seed_corpus.zip"
done
