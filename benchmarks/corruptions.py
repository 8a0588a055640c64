"""`python -m benchmarks.corruptions [NAME ...]`: the corruptions of all 10000 test images against the released ones.

Claim: seven of the eight without randomness have the hash of the released images, as regenerated from the constants of
the official generator; the random ones take as many bytes as PNG files as the released ones, to half a per cent.

CIFAR-10 and the pictures of frost come from the folder that ENDD_DATA names. corruptions.csv holds the published sizes
(TFDS cifar10_corrupted 1.0.0, less 38 bytes a record) and the hashes. jpeg_compression depends on the JPEG library.
"""

import argparse
import csv
import time
from pathlib import Path

from benchmarks.png import png_bytes
from endd.data import load_cifar10, load_frost
from endd.data.corruptions import CORRUPTIONS, SEVERITIES, corrupt
from endd.data.corruptions.by_name import BLOCK
from endd.data.fetching import fingerprint
from endd.data.pixels import Bytes

CLEAN = 22_532_469


def size(images: Bytes) -> int:
    """Bytes as PNG files, in parts that fit into memory."""
    return sum(png_bytes(images[start : start + BLOCK]) for start in range(0, len(images), BLOCK))


def main(names: list[str]) -> None:
    """A line for each corruption: how far its size is off at each severity, and whether its hash is the known one."""
    with (Path(__file__).with_name("corruptions.csv")).open() as file:
        published = {(row["name"], int(row["severity"])): row for row in csv.DictReader(file)}
    x_test, frost = load_cifar10().x_test, load_frost()
    print(f"clean images: {size(x_test) - CLEAN:+d} bytes of {CLEAN}")
    for name in names:
        found, start = [], time.perf_counter()
        for severity in SEVERITIES:
            known, images = published[name, severity], corrupt(x_test, name, severity, frost=frost)
            off = 100 * (size(images) / int(known["png_bytes"]) - 1)
            equal = {"": "", fingerprint(images): " equal"}.get(known["sha256"], " other")
            found.append(f"{off:+.3f} %{equal}")
        print(f"{name:20} {', '.join(found)}  ({time.perf_counter() - start:.0f} s)", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.corruptions")
    parser.add_argument("names", nargs="*", choices=[[], *CORRUPTIONS], metavar="NAME")
    main(parser.parse_args().names or list(CORRUPTIONS))
