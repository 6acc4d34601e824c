FROM scratch
# Labels of the image.
LABEL operators.operatorframework.io.bundle.mediatype.v1=registry+v1
LABEL operators.operatorframework.io.bundle.manifests.v1=manifests/ \
      operators.operatorframework.io.bundle.metadata.v1="metadata/"
LABEL operators.operatorframework.io.bundle.package.v1 kiln
LABEL operators.operatorframework.io.bundle.channels.v1=$CHANNELS
COPY manifests /manifests/
COPY metadata /metadata/
