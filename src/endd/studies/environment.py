"""Where numbers were made: versions and machine."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version

import endd

PACKAGES = ("torch", "numpy", "lightning-fabric")
#: Fabric also comes as a part of this one.
ALSO = {"lightning-fabric": "lightning"}


def environment(device: str = "cpu") -> dict[str, str]:
    """Versions of what computes, the machine, and the device that trained."""
    versions = {name: _version(name) for name in PACKAGES}
    return {
        "python": platform.python_version(),
        "endd": endd.__version__,
        **versions,
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "device": device,
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return _version(ALSO[package]) if package in ALSO else "unknown"
