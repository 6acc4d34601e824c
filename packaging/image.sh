#!/usr/bin/env bash
# Builds the image of the program for Linux on x86_64 and aarch64 with podman: packaging/image.sh NAME [DIGEST_FILE]
# NAME is the reference of the image with its tag. With DIGEST_FILE it is pushed, and the digest of the index is written there.
source "$(dirname "$0")/common.sh"
name="${1:?packaging/image.sh NAME [DIGEST_FILE]}"
digest_file="${2:-}"
podman manifest rm "$name" 2>/dev/null || true
podman manifest create "$name"
for pair in amd64=x86_64-unknown-linux-musl arm64=aarch64-unknown-linux-musl; do
    program="$(program "${pair#*=}")"
    podman build --file packaging/container/Containerfile --platform "linux/${pair%%=*}" --build-arg "PROGRAM=$program" \
        --annotation "org.opencontainers.image.version=$version" --timestamp "${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}" \
        --manifest "$name" .
done
[ -z "$digest_file" ] || podman manifest push --all --digestfile "$digest_file" "$name" "docker://$name"
