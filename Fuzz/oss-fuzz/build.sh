#!/bin/bash -eu
# Builds the fuzzers as OSS-Fuzz and ClusterFuzzLite expect it: in an image of theirs for Swift, with the package in
# $SRC/swift-image-codecs and zlib's headers installed. Their `precompile_swift` says with which flags, $OUT takes one program
# for each part, its dictionary and its seeds, and zlib, which the machines that run them need not have.
. precompile_swift
cd "$SRC/swift-image-codecs"
export IMAGE_CODECS_FUZZERS=1
# The flags for packages whose manifest is of version 6.2 or later. They name each sanitizer by itself, and of those the compiler
# takes the last, so both are named at once behind them. gold cannot link what is sanitized.
both=fuzzer
[ "$SANITIZER" = coverage ] || both=fuzzer,$SANITIZER
# shellcheck disable=SC2086,SC2016
build() {
    swift build -c release --product fuzz-components $SWIFT6_2FLAGS -Xswiftc "-sanitize=$both" -Xswiftc -use-ld=lld \
        -Xlinker -rpath='$ORIGIN/lib' "$@"
}
build
program=$(build --show-bin-path)/fuzz-components
mkdir -p "$OUT/lib"
cp "$(ldd "$program" | sed -n 's/.*libz\.so.* => \([^ ]*\) .*/\1/p')" "$OUT/lib"

. Fuzz/parts.sh
for part in $("$program" --parts); do
    cp "$program" "$OUT/fuzz-$part"
    words=Fuzz/Dictionaries/$(dictionary "$part").dict
    [ ! -f "$words" ] || cp "$words" "$OUT/fuzz-$part.dict"
    folder=$(FUZZ_PART=$part "$program" --seeds)
    [ -z "$folder" ] || (
        cd "Tests/Fixtures/$folder"
        find . -type f ! -name '*.json' ! -name '*.md' | zip -q -@ "$OUT/fuzz-${part}_seed_corpus.zip"
    )
done
