"""The constants of CIFAR-10-C (Hendrycks and Dietterich 2019) at severities 1 to 5, under the names that TFDS uses."""

from endd._checks import check_option

Constants = tuple[float, ...]

SEVERITIES = (1, 2, 3, 4, 5)

CONSTANTS: dict[str, tuple[Constants, ...]] = {
    # standard deviation, photons, share of values, standard deviation
    "gaussian_noise": ((0.04,), (0.06,), (0.08,), (0.09,), (0.1,)),
    "shot_noise": ((500,), (250,), (100,), (75,), (50,)),
    "impulse_noise": ((0.01,), (0.02,), (0.03,), (0.05,), (0.07,)),
    "speckle_noise": ((0.06,), (0.1,), (0.12,), (0.16,), (0.2,)),
    # radius of the disk, width of the blur that softens it
    "defocus_blur": ((0.3, 0.4), (0.4, 0.5), (0.5, 0.6), (1, 0.2), (1.5, 0.1)),
    # width of the blur, times that pixels are moved
    "frosted_glass_blur": ((0.05, 1), (0.25, 1), (0.4, 1), (0.25, 2), (0.4, 2)),
    # radius, width
    "motion_blur": ((6, 1), (6, 1.5), (6, 2), (8, 2), (9, 2.5)),
    # the zoom at which to stop
    "zoom_blur": ((1.06,), (1.11,), (1.16,), (1.21,), (1.26,)),
    "gaussian_blur": ((0.4,), (0.6,), (0.7,), (0.8,), (1,)),
    # mean, standard deviation, zoom, threshold, radius and width of the motion, share of the picture
    "snow": (
        (0.1, 0.2, 1, 0.6, 8, 3, 0.95),
        (0.1, 0.2, 1, 0.5, 10, 4, 0.9),
        (0.15, 0.3, 1.75, 0.55, 10, 4, 0.9),
        (0.25, 0.3, 2.25, 0.6, 12, 6, 0.85),
        (0.3, 0.3, 1.25, 0.65, 14, 12, 0.8),
    ),
    # weights of the image and of the frost
    "frost": ((1, 0.2), (1, 0.3), (0.9, 0.4), (0.85, 0.4), (0.75, 0.45)),
    # weight, how fast the roughness decays
    "fog": ((0.2, 3), (0.5, 3), (0.75, 2.5), (1, 2), (1.5, 1.75)),
    # mean, standard deviation, width, threshold, strength of water or width of mud, whether it is mud
    "spatter": (
        (0.62, 0.1, 0.7, 0.7, 0.5, 0),
        (0.65, 0.1, 0.8, 0.7, 0.5, 0),
        (0.65, 0.3, 1, 0.69, 0.5, 0),
        (0.65, 0.1, 0.7, 0.69, 0.6, 1),
        (0.65, 0.1, 0.5, 0.68, 0.6, 1),
    ),
    "brightness": ((0.05,), (0.1,), (0.15,), (0.2,), (0.3,)),
    "contrast": ((0.75,), (0.5,), (0.4,), (0.3,), (0.15,)),
    # factor, shift
    "saturate": ((0.3, 0), (0.1, 0), (1.5, 0), (2, 0.1), (2.5, 0.2)),
    # strength, width and affine shift, in image widths
    "elastic": ((0, 0, 0.08), (0.05, 0.2, 0.07), (0.08, 0.06, 0.06), (0.1, 0.04, 0.05), (0.1, 0.03, 0.03)),
    "pixelate": ((0.95,), (0.9,), (0.85,), (0.75,), (0.65,)),
    "jpeg_compression": ((80,), (65,), (58,), (50,), (40,)),
}
#: All 19 by name.
CORRUPTIONS = tuple(CONSTANTS)
#: Where the released files have other names.
RELEASED_NAMES = {"frosted_glass_blur": "glass_blur", "elastic": "elastic_transform"}


def check_corruption(name: str, severity: int) -> None:
    """Raise unless there is such a corruption at such a severity."""
    check_option("corruption", name, CORRUPTIONS)
    if severity not in SEVERITIES:
        raise ValueError(f"Expected `severity` from {SEVERITIES[0]} to {SEVERITIES[-1]}, but got {severity!r}.")
