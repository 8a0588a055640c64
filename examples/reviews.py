"""Ten Hugging Face transformers that tell the mood of reviews, distilled into one that doubts where they doubt.

A review is a row of words, each bad, neutral or good; NOT turns the next word round. Its mood is the sign of the sum.
"""

import torch
from torch import Tensor
from transformers import AutoModelForSequenceClassification, BertConfig, PreTrainedModel

import endd
from endd import metrics
from endd.studies.comparison import compare

LENGTH, WORDS, PAD, NOT = 12, 32, 0, 1


def reviews(count: int, generator: torch.Generator) -> dict[str, Tensor]:
    """Reviews of 4 to 12 random words, padded, as a tokenizer gives them."""
    words = torch.randint(NOT, WORDS, (count, LENGTH), generator=generator)
    mask = torch.arange(LENGTH) < torch.randint(4, LENGTH + 1, (count, 1), generator=generator)
    return {"input_ids": torch.where(mask, words, PAD), "attention_mask": mask.long()}


def mood(words: Tensor) -> Tensor:
    """0, 1 or 2: bad, neutral or good."""
    value = torch.where(words > NOT, words % 3 - 1, 0)
    value[:, 1:] *= torch.where(words[:, :-1] == NOT, -1, 1)
    return value.sum(1).sign() + 1


def transformer(outputs: int) -> PreTrainedModel:
    sizes = {"vocab_size": WORDS, "max_position_embeddings": LENGTH, "hidden_size": 32, "intermediate_size": 64}
    depth = {"num_hidden_layers": 1, "num_attention_heads": 2, "num_labels": outputs}
    config = BertConfig(**sizes, **depth, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    return AutoModelForSequenceClassification.from_config(config)


def main(seed: int = 0, progress: str = "auto") -> dict[str, dict[str, float]]:
    torch.manual_seed(seed)
    train, test = (reviews(count, torch.default_generator) for count in (600, 2000))
    family, options = endd.families.Categorical(3), {"progress": progress, "seed": seed}
    ensemble = endd.Ensemble([transformer(3) for _ in range(10)], family, output="logits")
    endd.fit_ensemble(ensemble, (train, mood(train["input_ids"])), epochs=20, batch_size=128, **options)

    # no labels needed, so there is always more to read; a member is a good place to start from
    student = endd.Student(transformer(endd.num_outputs(family)), family, output="logits")
    endd.distill(ensemble, student, reviews, samples=2000, epochs=10, warm_start=ensemble.members[0], **options)
    return compare(ensemble, student, test, mood(test["input_ids"]), scores)


def scores(prediction: endd.Prediction, y: Tensor) -> dict[str, float]:
    return {"accuracy": float(metrics.accuracy(prediction.probs, y)), "nll": float(-prediction.log_prob(y).mean())}


if __name__ == "__main__":
    for name, numbers in main().items():
        print(f"{name:10s}" + "  ".join(f"{key} {value:.4f}" for key, value in numbers.items()))
