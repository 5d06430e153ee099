"""The settings of a build: derived from a user's options once, and stored in it for all jobs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from factmill.models.answering.rewriting.rewriting_training import REWRITING
from factmill.models.answering.span_models.extraction_training import EXTRACTION
from factmill.models.answering.span_models.span_trainer import SpanTrainer
from factmill.models.encoding.encoder import DEFAULT_ENCODER, Encoder
from factmill.pipelines.llm_options import HEURISTIC, LLM
from factmill.runtime.evaluate import read_questions
from factmill.schemas.errors import CorruptStore, OptionError
from factmill.schemas.fingerprint import code_fingerprint
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.libraries import LIBRARIES, installed, library_versions
from factmill.schemas.manifest import Manifest
from factmill.schemas.storage.atomic import make_folder, write_text
from factmill.schemas.storage.paths import StoragePath, as_storage_path, is_url, read_text
from factmill.transforms.clean.clean_options import DEFAULT_OPTIONS, CleanOptions
from factmill.transforms.clean.item_limits import Limits
from factmill.transforms.inputs.discovery import InputFile, find_inputs, input_file
from factmill.transforms.learn.learn_answer_models import ENCODER_OPTION, check_examples
from factmill.transforms.learn.learn_link_scorer import LINKS_OPTION

DEFAULT_SHARDS = 16
DEFAULT_CODE_BITS = 384
MAX_SHARDS = 1000
# Settings that name training files; builds of older versions lack them.
_EXAMPLES = ("train_extractor", "train_rewriter", "train_links")
# Settings of training. A build that leaves one out inherits the parent's trained model.
_TRAINING = ("train_questions", "train_encoder", *_EXAMPLES)


@dataclass(frozen=True, slots=True)
class BuildSettings:
    """All settings that affect the content of a build: equal fingerprints mean equal builds."""

    inputs: tuple[InputFile, ...]
    reader: str = HEURISTIC
    llm_model: str = ""
    encoder: str = DEFAULT_ENCODER
    code_bits: int = DEFAULT_CODE_BITS
    shards: int = DEFAULT_SHARDS
    cleaning: CleanOptions = DEFAULT_OPTIONS
    train_questions: InputFile | None = None
    train_encoder: bool = False
    train_extractor: InputFile | None = None
    extractor_encoder: str = ""
    train_rewriter: InputFile | None = None
    train_links: InputFile | None = None
    store_embeddings: bool = False
    keep_missing: bool = False

    def __post_init__(self) -> None:
        if self.reader not in (HEURISTIC, LLM):
            raise OptionError(f"--reader {self.reader}: must be {HEURISTIC} or {LLM}")
        if bool(self.llm_model) != (self.reader == LLM):
            raise OptionError(f"--reader {LLM} and --llm-model NAME belong together")
        if self.code_bits < 8 or self.code_bits % 8 or self.code_bits > 8192:
            raise OptionError(f"--code-bits {self.code_bits}: must be a multiple of 8, 8 to 8192")
        if not 1 <= self.shards <= MAX_SHARDS:
            raise OptionError(f"--shards {self.shards}: must be 1 to {MAX_SHARDS}")
        if self.extractor_encoder and not self.train_extractor:
            raise OptionError(f"{ENCODER_OPTION} needs --train-extractor FILE")

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits over settings, inputs (path, size, time), code and libraries."""
        versions = [*map(library_versions, LIBRARIES), installed(self.cleaning.entities)]
        raw = json.dumps([asdict(self), code_fingerprint(), versions], sort_keys=True)
        return hashlib.sha256(raw.encode()).hexdigest()[:16]

    def check_encoders(self) -> None:
        """Raises OptionError when there is no such encoder. Reads only configurations."""
        Encoder(self.encoder).check()
        if self.extractor_encoder:
            Encoder(self.extractor_encoder, option=ENCODER_OPTION).check()

    def configuration(self) -> dict[str, Any]:
        """The settings as the manifest shows them."""
        return {
            "inputs": len(self.inputs),
            "reader": self.reader,
            "llm_model": self.llm_model,
            "encoder": self.encoder,
            "code_bits": self.code_bits,
            "shards": self.shards,
            "train_questions": _path_of(self.train_questions),
            "train_encoder": self.train_encoder,
            "train_extractor": _path_of(self.train_extractor),
            "extractor_encoder": self.extractor_encoder,
            "train_rewriter": _path_of(self.train_rewriter),
            "train_links": _path_of(self.train_links),
            "store_embeddings": self.store_embeddings,
            "keep_missing": self.keep_missing,
            "entities": self.cleaning.entities,
            "languages": list(self.cleaning.languages),
            "kinds": list(self.cleaning.kinds),
            "near_duplicates": self.cleaning.near_duplicates,
            "strip_tokens": self.cleaning.strip_tokens,
            "page_seconds": self.cleaning.limits.seconds,
            "page_megabytes": self.cleaning.limits.megabytes,
        }

    def inheriting(self, parent: BuildSettings) -> BuildSettings:
        """These settings, completed by the parent's training settings. Only for comparing: the
        parent's training files may be gone.
        """
        left_out = {name: getattr(parent, name) for name in _TRAINING if not getattr(self, name)}
        if not self.train_extractor:
            left_out["extractor_encoder"] = parent.extractor_encoder
        return replace(self, **left_out)

    def without_changed_examples(self) -> BuildSettings:
        """These settings without training files that have changed or are gone: a build without them
        inherits the parent's models.
        """
        files = {name: getattr(self, name) for name in ("train_questions", *_EXAMPLES)}
        changed: dict[str, Any] = {
            name: None for name, file in files.items() if file and _has_changed(file)
        }
        if "train_extractor" in changed:
            changed["extractor_encoder"] = ""
        return replace(self, **changed)

    def save(self, build: BuildDir) -> None:
        make_folder(build.work)
        raw = json.dumps(asdict(self), indent=1, sort_keys=True)
        write_text(build.settings, raw + "\n")

    @classmethod
    def load(cls, build: BuildDir) -> BuildSettings:
        """The settings of a build, finished or not. Raises CorruptStore when they are missing."""
        path = build.settings
        try:
            raw = json.loads(read_text(path))
            inputs = tuple(InputFile(**file) for file in raw.pop("inputs"))
            cleaning = raw.pop("cleaning")
            trained = {"train_questions": raw.pop("train_questions")}
            trained |= {name: raw.pop(name, None) for name in _EXAMPLES}
            files: dict[str, Any] = {
                name: InputFile(**file) if file else None for name, file in trained.items()
            }
            limits = Limits(**cleaning.pop("limits"))
            languages = tuple(cleaning.pop("languages"))
            kinds = tuple(cleaning.pop("kinds", ()))  # older builds kept pages of every kind
            options = CleanOptions(languages=languages, limits=limits, kinds=kinds, **cleaning)
            return cls(inputs=inputs, cleaning=options, **files, **raw)
        except (
            OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError
        ) as error:  # fmt: skip
            raise CorruptStore(f"{path}: not the settings of a build ({error})") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOptions:
    """The options of a user. None stands for the published build's value, or the default."""

    inputs: Sequence[str]
    follow_links: bool = False
    reader: str = HEURISTIC
    llm_model: str = ""
    encoder: str = DEFAULT_ENCODER
    code_bits: int | None = None
    shards: int | None = None
    cleaning: CleanOptions = DEFAULT_OPTIONS
    train_questions: StoragePath | None = None
    train_encoder: bool = False
    train_extractor: StoragePath | None = None
    extractor_encoder: str = ""
    train_rewriter: StoragePath | None = None
    train_links: StoragePath | None = None
    store_embeddings: bool = False
    keep_missing: bool = False


def settings_for(
    store: Store, options: BuildOptions, published: Manifest | None = None
) -> BuildSettings:
    """The settings of a build with these options and the input files that they name. An option of
    None gets the published build's value, or the default.

    Raises OptionError for invalid options, and if the number of shards differs from the store's.
    """
    before = published.configuration if published else {}
    shards = before.get("shards")
    if shards is not None and options.shards not in (None, shards):
        raise OptionError(
            f"--shards {options.shards}: {store.root} has {shards} shards, which cannot be changed"
        )
    return BuildSettings(
        inputs=tuple(find_inputs(options.inputs, options.follow_links, store.root)),
        reader=options.reader,
        llm_model=options.llm_model,
        encoder=_encoder_path(options.encoder),
        code_bits=options.code_bits or before.get("code_bits") or DEFAULT_CODE_BITS,
        shards=shards or options.shards or DEFAULT_SHARDS,
        cleaning=options.cleaning,
        train_questions=_question_file(options.train_questions, "--train-questions"),
        train_encoder=options.train_encoder,
        train_extractor=_example_file(options.train_extractor, EXTRACTION),
        extractor_encoder=_encoder_path(options.extractor_encoder),
        train_rewriter=_example_file(options.train_rewriter, REWRITING),
        train_links=_question_file(options.train_links, LINKS_OPTION),
        store_embeddings=options.store_embeddings,
        keep_missing=options.keep_missing,
    )


def _encoder_path(encoder: str) -> str:
    """A local folder as an absolute path, because workers have another working directory; a name or
    URL unchanged.
    """
    if encoder not in ("", DEFAULT_ENCODER) and not is_url(encoder) and Path(encoder).exists():
        return str(Path(encoder).resolve())
    return encoder


def _question_file(path: StoragePath | None, option: str) -> InputFile | None:
    """The question file with its current state. Raises OptionError when it holds no questions."""
    if path is None:
        return None
    read_questions(path, option)
    return input_file(path)


def _example_file(path: StoragePath | None, trainer: SpanTrainer[Any]) -> InputFile | None:
    """The example file with its current state. Raises OptionError when it holds no examples."""
    if path is None:
        return None
    check_examples(str(path), trainer)
    return input_file(path)


def _has_changed(file: InputFile) -> bool:
    try:
        return input_file(as_storage_path(file.path)) != file
    except OSError:
        return True


def _path_of(file: InputFile | None) -> str:
    return file.path if file else ""
