#!/usr/bin/env bash
# Puts the development build of each named function where template.yaml expects it, stripped.
set -euo pipefail
cd "$(dirname "$0")/../.."
for name in "$@"; do
  built="target/debug/$name" packed="target/lambda/$name/bootstrap"
  if [[ ! -x "$built" ]]; then
    echo "$built is missing: functions/$name has no binary" >&2
    exit 1
  fi
  # Always anew: what lies there may be a release build for AWS. `cargo lambda deploy` leaves an archive beside it.
  rm -f "target/lambda/$name/bootstrap.zip"
  mkdir -p "target/lambda/$name"
  strip -o "$packed.new" "$built"
  mv "$packed.new" "$packed"
done
