"""Where training of the hash head starts: a rotation, then codes and decoder fitted to vectors.

The codes H of units and the matrix D that reads them are fitted in turn (code_sweeps.py,
code_search.py), so that scores of codes are those of vectors. Knows nothing of questions.
"""

from __future__ import annotations

import numpy as np

from factmill.models.arrays import Floats
from factmill.models.codes.code_search import search_codes
from factmill.models.codes.code_sweeps import fit_decoder
from factmill.models.codes.hash_config import TrainingConfig
from factmill.models.codes.hash_head import Decoder, HashHead, Projection
from factmill.schemas.progress_events import report_progress


def random_rotation(bits: int, dimension: int, seed: int) -> Floats:
    """Shape (bits, dimension): blocks of random rotations, so bits are spread over all directions.

    This is where training starts; its signs are the usual random-hyperplane codes.
    """
    generator = np.random.default_rng(seed)
    blocks = []
    for start in range(0, bits, dimension):
        rotation, _ = np.linalg.qr(generator.standard_normal((dimension, dimension)))
        blocks.append(rotation[: min(dimension, bits - start)])
    return np.concatenate(blocks).astype(np.float32)


def initial_head(units: Floats, config: TrainingConfig, encoder: str) -> HashHead:
    """A rotation around the units' mean, for units and queries alike. Scores are scaled to fit
    cosines, by the decoder that random hyperplanes have: a multiple of the rotation itself."""
    rotation = random_rotation(config.bits, units.shape[1], config.seed)
    mean = units.mean(axis=0)
    values = (units - mean) @ rotation.T
    scale = np.abs(values).mean() * min(1.0, units.shape[1] / config.bits)
    return HashHead(
        Projection(rotation, -(rotation @ mean)),
        Projection(rotation * np.float32(scale), np.zeros(config.bits, np.float32)),
        encoder,
        0,
    )


def fit_codes(units: Floats, config: TrainingConfig, encoder: str) -> tuple[HashHead, Floats]:
    """Codes and decoder fitted to vectors in turn, from a rotation: a head whose queries are read
    by the decoder, and the codes of the units, shape (n, bits), of -1 and +1."""
    first = initial_head(units, config, encoder)
    mean = units.mean(axis=0)
    centred = units - mean
    codes = first.signs(units)
    decoder = first.queries.weight
    for done in range(config.decoder_rounds):
        report_progress("fitting codes", done, config.decoder_rounds)
        decoder = fit_decoder(centred, codes, decoder)
        codes = search_codes(centred, codes, decoder, steps=config.bits // 4)
    # What begins the codes of unseen units: the regression of codes on vectors, with a ridge.
    ridge = np.trace(centred.T @ centred) / centred.shape[1] ** 2 + 1e-6
    gram = centred.T @ centred + np.float32(ridge) * np.eye(centred.shape[1], dtype=np.float32)
    weight = np.linalg.solve(gram, centred.T @ codes).T.astype(np.float32)
    head = HashHead(
        Projection(weight, -(weight @ mean)),
        Projection(decoder, np.zeros(config.bits, np.float32)),
        encoder,
        len(units),
        Decoder(decoder, mean),
    )
    return head, codes
