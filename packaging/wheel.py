#!/usr/bin/env python3
"""Puts a built program into a wheel, which pip and uv install: packaging/wheel.py TARGET

A wheel is a zip file with the program as a script. The program is the one of the archives, so nothing is built again. The same
files make the same wheel, byte for byte.
"""

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from datetime import datetime, timezone
from pathlib import Path

# A static program runs on every Linux. The versions of macOS are the oldest for which Rust builds.
PLATFORMS = {
    "x86_64-unknown-linux-musl": "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    "aarch64-unknown-linux-musl": "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    "x86_64-apple-darwin": "macosx_10_12_x86_64",
    "aarch64-apple-darwin": "macosx_11_0_arm64",
    "x86_64-pc-windows-msvc": "win_amd64",
}

root = Path(__file__).resolve().parent.parent
os.chdir(root)


def fail(text):
    sys.exit(f"wheel.py: {text}")


def manifest(key):
    """Returns a text of Cargo.toml, of the package or of the workspace."""
    found = re.search(rf'^{key} = "(.*)"$', Path("Cargo.toml").read_text(encoding="utf-8"), re.MULTILINE)
    return found and found.group(1)


def python_version(version):
    """Returns a version as Python writes it: 1.2.0-rc.1 becomes 1.2.0rc1."""
    release, _, pre = version.partition("-")
    if not pre:
        return release
    found = re.fullmatch(r"(alpha|beta|rc)\.?(\d+)", pre) or fail(f"Python has no form of the version {version}")
    return release + {"alpha": "a", "beta": "b", "rc": "rc"}[found.group(1)] + found.group(2)


def main():
    target = sys.argv[1] if len(sys.argv) == 2 else fail("usage: packaging/wheel.py TARGET")
    platform = PLATFORMS.get(target) or fail(f"no platform of Python is known for {target}")
    build = Path(os.environ.get("CARGO_TARGET_DIR", "target"))
    out = Path(os.environ.get("OUT", build / "release-files"))
    program = build / target / "dist" / ("olmap.exe" if "windows" in target else "olmap")
    if not program.is_file():
        fail(f"{program} is not there: packaging/build.sh {target} makes it")
    version = python_version(manifest("version") or fail("Cargo.toml names no version"))
    # On Windows, the first bash by name alone is another one than that of PATH.
    bash = shutil.which("bash") or fail("bash is missing")
    licences = subprocess.run([bash, "packaging/licences.sh", target], check=True, stdout=subprocess.PIPE).stdout
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch is None:
        epoch = subprocess.run(["git", "log", "-1", "--format=%ct"], check=True, stdout=subprocess.PIPE).stdout
    # A zip file knows no time before 1980.
    date = max(datetime.fromtimestamp(int(epoch), timezone.utc).timetuple()[:6], (1980, 1, 1, 0, 0, 0))

    repository = manifest("repository")
    metadata = [
        "Metadata-Version: 2.4",
        "Name: olmap",
        f"Version: {version}",
        f"Summary: {manifest('description')}",
        "License-Expression: Apache-2.0",
        "License-File: LICENSE",
        "License-File: THIRD-PARTY-LICENSES.txt",
        "Requires-Python: >=3.8",
        "Description-Content-Type: text/markdown",
        *([f"Project-URL: Source, {repository}"] if repository else []),
    ]
    tags = [f"Tag: py3-none-{part}" for part in platform.split(".")]
    info = f"olmap-{version}.dist-info"
    files = {
        f"olmap-{version}.data/scripts/{program.name}": program.read_bytes(),
        f"{info}/licenses/LICENSE": Path("LICENSE").read_bytes(),
        f"{info}/licenses/THIRD-PARTY-LICENSES.txt": licences,
        f"{info}/METADATA": ("\n".join(metadata) + "\n\n").encode() + Path("README.md").read_bytes(),
        f"{info}/WHEEL": "\n".join(["Wheel-Version: 1.0", "Generator: olmap", "Root-Is-Purelib: false", *tags, ""]).encode(),
    }
    record = ""
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()

    out.mkdir(parents=True, exist_ok=True)
    wheel = out / f"olmap-{version}-py3-none-{platform}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, date)
            entry.create_system = 3
            entry.external_attr = (0o100755 if "/scripts/" in name else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    print(wheel)


main()
