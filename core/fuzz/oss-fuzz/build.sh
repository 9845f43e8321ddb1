#!/bin/bash -eu
# Builds every target with the flags of the base image, and packs its corpus.
host=$(rustc -vV | sed -n 's/^host: //p')
cargo build --locked --release -p fleetfold-fuzz --features libfuzzer --bins --target "$host"
for source in core/fuzz/src/bin/*.rs; do
  target=$(basename "$source" .rs)
  cp "target/$host/release/$target" "$OUT/"
  node tests/fuzz-corpus.mjs "$target" "$WORK/$target"
  zip -jq "$OUT/${target}_seed_corpus.zip" "$WORK/$target"/*
done
