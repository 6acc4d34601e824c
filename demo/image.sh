#!/bin/sh
# Makes demo/catalog.oci.tar, an image of demo/catalog: the same bytes each time, so git sees a change only where there is one.
# OLMAP names another olmap than the one on the PATH.
set -eu
cd "$(dirname "$0")"
rm -f catalog.oci.tar
"${OLMAP:-olmap}" image build catalog -t registry.example.com/harbour/demo:v1 --to oci-archive:catalog.oci.tar
