# SPDX-License-Identifier: Apache-2.0
"""archive.py FOLDER OUT.tar.gz|OUT.tgz|OUT.zip: packs a folder so that equal contents give an equal file.

Names are sorted, owners are nobody in particular, and each time is SOURCE_DATE_EPOCH. Links are followed in a .zip, and kept else.
"""

import gzip
import os
import sys
import tarfile
import time
import zipfile


def files_of(folder):
    for place, folders, names in os.walk(folder):
        folders.sort()
        yield from (os.path.join(place, name) for name in sorted(names))


def main(folder, out):
    seconds = int(os.environ["SOURCE_DATE_EPOCH"])

    def plain(entry):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        entry.mtime = seconds
        entry.mode = 0o755 if entry.mode & 0o100 else 0o644
        return entry

    if out.endswith(".zip"):
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for name in files_of(folder):
                entry = zipfile.ZipInfo(name, time.gmtime(seconds)[:6])
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = (0o755 if os.access(name, os.X_OK) else 0o644) << 16
                with open(name, "rb") as file:
                    archive.writestr(entry, file.read())
        return
    with open(out, "wb") as file, gzip.GzipFile("", "wb", 9, file, seconds) as packed, tarfile.open(fileobj=packed, mode="w") as archive:
        for name in files_of(folder):
            archive.add(name, recursive=False, filter=plain)


if __name__ == "__main__":
    main(*sys.argv[1:])
