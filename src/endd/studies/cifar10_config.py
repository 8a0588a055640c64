"""Settings of the CIFAR-10 study: one frozen dataclass, and the presets with a name."""

from dataclasses import dataclass, replace

from endd._checks import check_option
from endd.data.corruptions import SEVERITIES
from endd.studies.settings import Settings
from endd.training import Recipe

#: The paper's sixteen; motion blur, snow and JPEG compression it leaves out.
CORRUPTIONS = (
    *("brightness", "contrast", "defocus_blur", "elastic", "fog", "frost", "frosted_glass_blur", "gaussian_blur"),
    *("gaussian_noise", "impulse_noise", "pixelate", "saturate", "shot_noise", "spatter", "speckle_noise", "zoom_blur"),
)
# Whole batches only: an epoch is 312 of them, of 40,000 images.
EPOCH = 39_936
MEMBER = Recipe(
    epochs=80,
    batch_size=128,
    epoch_rows=EPOCH,
    learning_rate=0.2,
    optimiser="sgd",
    weight_decay=5e-4,
    precision="bf16-mixed",
)
STUDENT = replace(MEMBER, epochs=200, learning_rate=0.02, optimiser="muon", weight_decay=0.01, clip=10.0)
#: Of students that start from a member: they learn the rest in a fraction of the time, by SGD sooner than by Muon.
WARM = replace(STUDENT, epochs=12, learning_rate=0.1, optimiser="sgd", weight_decay=1e-4)
#: Of students that see more images late: as many epochs as in the paper, which has these come in from the 60th on.
LONG = replace(STUDENT, epochs=150)
#: Methods that train side by side, in the order in which they come: the students, other distillers, the student with
#: a dense network, the one that looks at mirror images too, the one that learns for longer, the one that starts from a
#: member, the one that also sees corrupted images, the one that sees these as they are, and single networks with an
#: uncertain part.
GROUPS = ("students", "rivals", "dense", "symmetric", "long", "warm", "outside", "late", "samplers")
#: Those of them whose students see more images after a part of their epochs.
LATE = ("outside", "late")


@dataclass(frozen=True)
class Config(Settings):
    """Settings of the study; `PRESETS` holds those that have a name.

    seeds, first_seed: the repeats, each with members and students of its own. depth, width: of all networks.
    train_rows, validation_rows: the first and the last of the training images, the same in every repeat. test_rows: of
    the test images. corruptions, severities: which corrupted sets there are. member, student: how they train.
    mirrored_edges: what moves in where an image is cropped, for members and students (see `flips_and_crops`).

    Students learn from a pool: `views` flipped and cropped versions of every training image, a part `blend` of them
    blended with changed ones, a part `warp` warped, then a part `mix` mixed with another and a part `patch` with a
    square of another, all pushed by `push` to where members disagree (see `blends`, `warps`, `diverse_steps`), labelled
    once by the teacher on exactly those pixels. rank: of the low-rank normal. mean_weight: how much the mean prediction
    counts against the members' distribution, and epistemic_weight: how much the size of their disagreement counts
    beside the two, for the students over all K logits (see `mean_and_spread`, `EpistemicDistillation`). temperature: of
    mixture distillation. hold: epochs before the Dirichlet's temperature falls. together: repeats whose students train
    side by side, as many pools in the memory of the device. kept_rows: test images whose outputs are kept.

    groups: which of `GROUPS` there are. models: which of their models, all if none is named. dense_layers,
    dense_growth: of the network of "distilled_dense", which has no more parameters than the others (see `DenseNet`).
    longer: how many times as many epochs "distilled_long" learns. warm: how "distilled_warm" trains, which starts from
    the first member of its teacher, with `warm_views` views of every image; None: there is no such student.
    outside_rows: training images under each of the paper's four corruptions that "distilled_ood" also learns from, and
    "distilled_late" as they are, after a part `outside_from` of its epochs. late, late_views: how these two train, and
    how many views of every image they have; None: as the students, from as many. late_warm: whether they learn as
    "distilled_warm" does instead. draws: of the samplers. dropout, head_dropout, svi_prior, svi_weight:
    what they choose from in the first repeat, by trials of `trial_epochs` and, of as many `finalists`, by a whole
    training: the rate of all layers, the rate of the last one alone, the scale of the prior (0: the one that suits the
    weights of a layer best), and how much the divergence from it counts where all weights are uncertain (1 is the
    evidence lower bound). svi_start: the noise at first, as a part of the spread of the weights. svi_learning_rate: of
    their Adam.
    """

    members: int = 10
    depth: int = 20
    width: int = 16
    train_rows: int = 40_000
    validation_rows: int = 10_000
    test_rows: int = 10_000
    corruptions: tuple[str, ...] = CORRUPTIONS
    severities: tuple[int, ...] = SEVERITIES
    member: Recipe = MEMBER
    student: Recipe = STUDENT
    mirrored_edges: bool = True
    views: int = 48
    mix: float = 0.5
    patch: float = 0.5
    blend: float = 0.0
    warp: float = 0.25
    push: float = 0.0
    rank: int = 9
    mean_weight: float = 0.5
    epistemic_weight: float = 1.0
    temperature: float = 2.5
    hold: int = 100
    together: int = 1
    kept_rows: int = 2
    groups: tuple[str, ...] = GROUPS[:1]
    models: tuple[str, ...] = ()
    dense_layers: tuple[int, ...] = (4, 8, 11)
    dense_growth: int = 12
    longer: int = 4
    warm: Recipe | None = WARM
    warm_views: int = 4
    outside_rows: int = 5_000
    outside_from: float = 0.4
    late: Recipe | None = LONG
    late_views: int = 6
    late_warm: bool = False
    draws: int = 30
    trial_epochs: int = 20
    finalists: int = 2
    dropout: tuple[float, ...] = (0.02, 0.055, 0.15)
    head_dropout: tuple[float, ...] = (0.1, 0.32, 0.5)
    svi_prior: tuple[float, ...] = (0.0, 0.2)
    svi_weight: tuple[float, ...] = (1.0, 0.1, 0.01)
    svi_start: float = 0.1
    svi_learning_rate: float = 0.003

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_at_least(2, "members")
        self.check_at_least(1, "train_rows", "validation_rows", "test_rows", "views", "together", "kept_rows", "draws")
        self.check_at_least(1, "longer", "warm_views", "late_views")
        self.check_at_least(1, "trial_epochs", "finalists")
        for name in ("dropout", "head_dropout", "svi_prior", "svi_weight"):
            if not getattr(self, name):
                raise ValueError(f"Expected at least one value to choose from in `{name}`, but got none.")
        for group in self.groups:
            check_option("groups", group, GROUPS)
        # in the order in which they come, whatever the order in which they are named
        object.__setattr__(self, "groups", tuple(group for group in GROUPS if group in self.groups))
        if self.train_rows + self.validation_rows > 50_000 or self.test_rows > 10_000:
            raise ValueError(
                "Expected at most 50,000 images to train and validate on and 10,000 to test on, but got "
                f"{self.train_rows} + {self.validation_rows} and {self.test_rows}."
            )


_TINY = Recipe(epochs=2, batch_size=32, learning_rate=0.05, optimiser="sgd", clip=10.0)
#: "full" is the study, on a GPU with about 90 GB. "standard" is one repeat of it. "short" is for members that are there
#: and two cores without a GPU, half an hour a repeat of two students: they learn for a twenty-fifth of the time and are
#: tried on a twentieth of the images, to be compared with each other, not with those of the study. "smoke" runs on a
#: CPU in seconds; its numbers mean nothing.
PRESETS = {
    "full": Config("full", seeds=5, together=3, groups=GROUPS),
    "standard": Config("standard"),
    "short": Config(
        "short",
        seeds=3,
        validation_rows=1_000,
        test_rows=500,
        student=replace(STUDENT, epochs=8),
        views=1,
        hold=4,
        warm=None,
        late=None,
    ),
    "smoke": Config(
        "smoke",
        seeds=2,
        members=3,
        depth=8,
        width=4,
        train_rows=192,
        validation_rows=64,
        test_rows=64,
        corruptions=("brightness", "gaussian_noise"),
        severities=(1, 5),
        member=_TINY,
        student=_TINY,
        views=2,
        hold=1,
        kept_rows=16,
        groups=GROUPS,
        dense_layers=(1, 2),
        dense_growth=3,
        warm=_TINY,
        warm_views=1,
        outside_rows=16,
        outside_from=0.5,
        late=_TINY,
        late_views=3,
        draws=3,
        trial_epochs=1,
        finalists=1,
        dropout=(0.05, 0.1),
        head_dropout=(0.3,),
        svi_prior=(0.0,),
        svi_weight=(1.0, 0.1),
    ),
}
