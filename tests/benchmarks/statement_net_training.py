"""Trains the network of statements (`statement_net`) to read as a sentence encoder does.

    statements, states of the encoder's fourth layer -> linear model of the judgements (teacher)
    sentences of a store                             -> the teacher's scores
    network over subwords                         -> the same scores

The teacher has few weights, so judged statements are enough for it. The network has many, and
learns from thousands of sentences that nobody judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt
import pyarrow.dataset as ds
import torch
from torch import nn

from factmill.models.arrays import Doubles, Floats, Integers
from factmill.models.encoding.encoder import Encoder
from factmill.models.readers.heuristic.english import is_english
from factmill.models.readers.heuristic.statement_net import MARKS, MAX_WORDS, spelling_marks
from factmill.models.readers.heuristic.subwords import split_words, subwords_of
from factmill.models.text.sentences import split_sentences
from factmill.schemas.layout import BuildDir

LAYER = 4  # of the encoder's six; third to fifth tell nearly as much, first and last do not
_COMPONENTS = 128
_TEACHER_PENALTY = 100.0
_SIZE, _CHANNELS, _UNITS = 48, 64, 32
_GAIN = 8.0  # subwords' vectors have a norm of about 1.4 in 384 numbers
_BATCH, _EPOCHS, _RATE = 64, 5, 4e-3
_DROPOUT = 0.2
_MIN_WORDS, _MAX_WORDS = 5, 45  # words of a sentence to learn from
_A_SEGMENT = 2  # sentences


def sentences_of(build: BuildDir, most: int, seed: int = 9) -> Iterator[tuple[str, str]]:
    """Site and sentence, of segments of English text of a build, in random order."""
    pages = ds.dataset(str(build.root / "10_pages"), partitioning="hive").to_table(
        ["page_id", "url"]
    )
    sites = {page["page_id"]: urlsplit(page["url"]).netloc for page in pages.to_pylist()}
    table = ds.dataset(str(build.root / "11_segments"), partitioning="hive").to_table(
        ["page_id", "kind", "text"]
    )
    order = np.random.default_rng(seed).permutation(table.num_rows)
    found = 0
    for segment in table.take(order).to_pylist():
        text = segment["text"]
        if segment["kind"] != "text" or not is_english(text):
            continue
        for start, end in split_sentences(text)[:_A_SEGMENT]:
            sentence = " ".join(text[start:end].split())
            if _MIN_WORDS <= len(sentence.split()) <= _MAX_WORDS:
                yield sites[segment["page_id"]], sentence
                found += 1
        if found >= most:
            return


def layer_states(texts: Sequence[str]) -> Floats:
    """Mean of the words' states in LAYER, and the state of the last token, side by side; shape
    (texts, 2 * dimension).
    """
    from transformers import AutoModel, AutoTokenizer

    path = Encoder().path
    tokenizer, model = AutoTokenizer.from_pretrained(path), AutoModel.from_pretrained(path).eval()
    model.encoder.layer = model.encoder.layer[:LAYER]
    tokens = tokenizer(list(texts), truncation=True, max_length=128)["input_ids"]
    order = np.argsort([len(row) for row in tokens])
    states = np.empty((len(texts), 2 * model.config.hidden_size), dtype=np.float32)
    for begin in range(0, len(order), 16):
        rows = order[begin : begin + 16]
        padded = nn.utils.rnn.pad_sequence([torch.tensor(tokens[row]) for row in rows], True)
        mask = torch.tensor(
            [[i < len(tokens[row]) for i in range(padded.shape[1])] for row in rows]
        )
        with torch.no_grad():
            values = model(padded, attention_mask=mask.long()).last_hidden_state
        for value, row in zip(values, rows, strict=True):
            last = len(tokens[row]) - 1
            states[row] = torch.cat([value[1:last].mean(0), value[last]]).numpy()
    return states


def teacher_scores(states: Floats, judged: Integers, right: Doubles, fit: Any) -> Floats:
    """Scores of all states in log-odds, by a linear model of the judged rows. `fit` is a logistic
    regression: rows with a first column of ones, wanted -> weights.
    """
    centre = states[judged].mean(axis=0)
    _, spread, directions = np.linalg.svd(states[judged] - centre, full_matrices=False)
    scaled = directions[:_COMPONENTS].T / (spread[:_COMPONENTS] / np.sqrt(len(judged)))
    rows = np.column_stack([np.ones(len(states)), (states - centre) @ scaled])
    found: Floats = (rows @ fit(rows[judged], right)).astype(np.float32)
    return found


class Words:
    """The vocabulary of the encoder with its vectors, and texts as words of them."""

    def __init__(self) -> None:
        from transformers import AutoModel, AutoTokenizer

        path = Encoder().path
        numbers = AutoTokenizer.from_pretrained(path).get_vocab()
        kept = sorted(
            subword
            for subword in numbers
            if subword.isascii() and not subword.startswith("[") and "\n" not in subword
        )
        weights = AutoModel.from_pretrained(path).embeddings.word_embeddings.weight
        self.subwords = {subword: index for index, subword in enumerate(kept)}
        self.vectors = weights.detach().numpy()[[numbers[subword] for subword in kept]]
        self._rows: dict[str, int] = {}
        self._vectors: list[Floats] = []

    def texts(self, texts: Sequence[str]) -> tuple[torch.Tensor, torch.Tensor]:
        """Numbers of words, shape (texts, MAX_WORDS), 0 for none, and their marks of spelling."""
        numbers = np.zeros((len(texts), MAX_WORDS), dtype=np.int64)
        marks = np.zeros((len(texts), MAX_WORDS, MARKS), dtype=np.float32)
        for row, text in enumerate(texts):
            words = split_words(text, MAX_WORDS)
            marks[row, : len(words)] = spelling_marks(words)
            numbers[row, : len(words)] = [self._row(word) for word in words]
        return torch.tensor(numbers), torch.tensor(marks)

    def _row(self, word: str) -> int:
        subwords = subwords_of(word, self.subwords)
        if not subwords:
            return 0
        key = " ".join(map(str, subwords))
        if key not in self._rows:
            self._vectors.append(self.vectors[subwords].mean(axis=0))
            self._rows[key] = len(self._vectors)
        return self._rows[key]

    def table(self) -> torch.Tensor:
        """Vectors by number of a word; call it after `texts`."""
        return torch.tensor(np.stack([np.zeros_like(self.vectors[0]), *self._vectors]))


class TrainableNet(nn.Module):
    """The network of `statement_net`, and a second score that learns the judgements."""

    def __init__(self, table: torch.Tensor) -> None:
        super().__init__()
        self.table = table
        self.project = nn.Linear(table.shape[1], _SIZE, bias=False)
        self.first = nn.Conv1d(_SIZE + MARKS, _CHANNELS, 3, padding=1)
        self.second = nn.Conv1d(_CHANNELS, _CHANNELS, 3, padding=1)
        self.hidden = nn.Linear(2 * _CHANNELS, _UNITS)
        self.out = nn.Linear(_UNITS, 1)
        self.judged = nn.Linear(_UNITS, 1)
        self.drop = nn.Dropout(_DROPOUT)

    def forward(self, words: torch.Tensor, marks: torch.Tensor) -> torch.Tensor:
        there = marks[:, :, 4].unsqueeze(1)
        vectors = self.project(self.drop(self.table[words])) * _GAIN
        rows = torch.cat([vectors, marks], 2).transpose(1, 2)
        rows = torch.relu(self.first(rows)) * there
        rows = torch.relu(self.second(self.drop(rows))) * there
        pooled = torch.cat([rows.max(2).values, rows.sum(2) / there.sum(2).clamp(min=1)], 1)
        return torch.relu(self.hidden(self.drop(pooled)))


def train_net(
    table: torch.Tensor,
    words: torch.Tensor,
    marks: torch.Tensor,
    wanted: Floats,
    rows: Integers,
    right: Doubles,
) -> TrainableNet:
    """A network that gives the `wanted` scores of these rows. Rows below `len(right)` are judged,
    and teach it twice.
    """
    torch.manual_seed(0)
    net = TrainableNet(table)
    scores = torch.tensor(wanted)
    labels = torch.tensor(right, dtype=torch.float32)
    optimizer = torch.optim.AdamW(net.parameters(), lr=_RATE, weight_decay=0.02)
    steps = _EPOCHS * (len(rows) // _BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, _RATE, total_steps=steps + 1)
    random = np.random.default_rng(0)
    for _ in range(_EPOCHS):
        order = random.permutation(rows)
        for begin in range(0, len(order) - _BATCH + 1, _BATCH):
            batch = torch.tensor(order[begin : begin + _BATCH])
            units = net(words[batch], marks[batch])
            loss = ((net.out(units)[:, 0] - scores[batch]) ** 2).mean()
            judged = batch < len(right)
            if judged.any():
                loss = loss + nn.functional.binary_cross_entropy_with_logits(
                    net.judged(units[judged])[:, 0], labels[batch[judged]]
                )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    return net.eval()


def net_tensors(net: TrainableNet, words: Words) -> dict[str, npt.NDArray[Any]]:
    """What `StatementNet.of` reads."""
    projected = words.vectors @ net.project.weight.detach().numpy().T * _GAIN
    scale = np.abs(projected).max(axis=0) / 127
    numbered = sorted(words.subwords, key=words.subwords.__getitem__)
    found: dict[str, npt.NDArray[Any]] = {
        "vocabulary": np.frombuffer("\n".join(numbered).encode("utf-8"), np.uint8),
        "vectors": np.round(projected / scale).astype(np.int8),
        "scale": scale.astype(np.float32),
    }
    for name, layer in (("first", net.first), ("second", net.second)):
        weight = layer.weight.detach().numpy()
        found[name] = np.concatenate([weight[:, :, k].T for k in range(3)])
        found[f"{name}_bias"] = _bias(layer)
    found["hidden"] = net.hidden.weight.detach().numpy().T
    found["out"] = net.out.weight.detach().numpy()[0]
    found |= {"hidden_bias": _bias(net.hidden), "out_bias": _bias(net.out)}
    return {name: np.ascontiguousarray(tensor) for name, tensor in found.items()}


def _bias(layer: nn.Conv1d | nn.Linear) -> Floats:
    assert layer.bias is not None
    found: Floats = layer.bias.detach().numpy()
    return found
