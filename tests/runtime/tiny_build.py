"""A small published build of two shards, made without the pipelines: random head, fake encoder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from factmill.models.arrays import Floats
from factmill.models.codes.hash_head import HashHead, Projection
from factmill.runtime.index import Index
from factmill.runtime.opening import open_build
from factmill.schemas.ids import (
    composed_question_id,
    content_hash,
    content_id,
    page_id,
    proposition_id,
    qa_pair_id,
    segment_id,
    shard_of,
)
from factmill.schemas.layout import INDEX, MODELS, BuildDir, Store
from factmill.schemas.manifest import FileEntry, Manifest, StageCounts, TableEntry
from factmill.schemas.records import (
    ComposedPart,
    ComposedQuestion,
    Entity,
    Page,
    Proposition,
    QAPair,
    Reject,
    Segment,
)
from factmill.schemas.storage.atomic import discard
from factmill.schemas.storage.checksum import sha256_of
from factmill.schemas.tables import (
    PAGES_WITHOUT_BYLINES,
    PAGES_WITHOUT_KINDS,
    REJECTS_WITHOUT_PAGES,
    SEGMENTS_WITHOUT_POSTS,
    TABLES,
    VECTORS,
    vectors_schema,
)
from factmill.transforms.encode.encode_units import vectors_table
from factmill.transforms.encode.unit_texts import unit_texts
from factmill.transforms.index.index_shards import IndexShard
from factmill.transforms.index.link_pages import FindNames, LinkShard
from factmill.transforms.tasks.shard_files import shard_writers

SHARDS = 2
DIMENSION = 24
BITS = 64
READER = "reader-of-tests"


class FakeEncoder:
    """Unit-length sums of one random vector a word: texts with words in common are close."""

    name = "fake"
    fingerprint = "encoder-fake"
    dimension = DIMENSION

    def __init__(self) -> None:
        self.encoded: list[str] = []

    def encode(self, texts: Sequence[str]) -> Floats:
        self.encoded.extend(texts)
        vectors = np.zeros((len(texts), DIMENSION))
        for row, text in enumerate(texts):
            for word in ("", *text.lower().split()):
                seed = int(content_id("word", word)[:8], 16)
                vectors[row] += np.random.default_rng(seed).normal(size=DIMENSION)
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@dataclass(frozen=True)
class Fact:
    """A segment that is one sentence, with a question that its end answers."""

    text: str
    question: str
    answer: str


@dataclass(frozen=True)
class Site:
    """A page to be."""

    name: str
    title: str
    facts: tuple[Fact, ...]
    table: str = ""


SITES = (
    Site(
        "bridges", "Bridges",
        (
            Fact("The Weaver's Bridge was built in 1742.", "When was the bridge built?", "1742"),
            Fact("The Centenary Bridge cost £41.6 million.", "What did it cost?", "£41.6 million"),
        ),
        "| Bridge | Opened |\n| --- | --- |\n| Otter Footbridge | 2011 |",
    ),
    Site("lights", "Lights", (Fact("Gannet Rock was lit in 1894.", "When was it lit?", "1894"),)),
    Site("ferry", "Ferry", (Fact("The ferry takes 40 minutes.", "How long is it?", "40 minutes"),)),
    Site("museum", "Museum", (Fact("Its director is Helena Voss.", "Who leads?", "Helena Voss"),)),
    Site(
        "regatta", "Regatta",
        (
            Fact("The regatta draws 15,000 spectators.", "How many come?", "15,000"),
            Fact("It was started by Winifred Hale.", "Who started it?", "Winifred Hale"),
        ),
    ),
    Site("cheese", "Cheese", (Fact("The cheese is from Hollin Farm.", "Where?", "Hollin Farm"),)),
)  # fmt: skip


@dataclass(frozen=True)
class Records:
    """The rows of one page in every table."""

    page: Page
    segments: list[Segment]
    propositions: list[Proposition]
    pairs: list[QAPair]

    @property
    def composed(self) -> list[ComposedQuestion]:
        """The page's first two pairs in one question, if it has two."""
        if len(self.pairs) < 2:
            return []
        parts = tuple(
            ComposedPart(pair.unit_id, pair.page_id, pair.question, pair.answer, pair.question)
            for pair in self.pairs[:2]
        )
        question = " And: ".join(part.question for part in parts)
        answer = "; ".join(part.answer for part in parts)
        name = composed_question_id("compound", question, [part.unit_id for part in parts])
        page = self.page
        return [
            ComposedQuestion(name, page.page_id, "compound", page.title, question, answer, parts)
        ]

    @property
    def shard_key(self) -> str:
        return self.page.url


def records_of(site: Site) -> Records:
    """A page whose text is its facts, a line each, with a proposition and a pair for each."""
    text = "\n".join(fact.text for fact in site.facts)
    url = f"https://{site.name}.example/"
    digest = content_hash(site.title, text + site.table)
    page = Page(page_id(url, "", ""), site.name, url, site.title, text, "en", None, digest)
    records = Records(page, [], [], [])
    for ordinal, fact in enumerate(site.facts):
        start, answer = text.index(fact.text), fact.text.index(fact.answer)
        segment = segment_id(page.page_id, site.title, "", "text", fact.text, 0)
        entity = Entity(fact.answer, "MISC", answer, answer + len(fact.answer))
        records.segments.append(
            Segment(
                segment, page.page_id, ordinal, "text", fact.text, "",
                start, start + len(fact.text), (entity,),
            )
        )  # fmt: skip
        unit = proposition_id(segment, fact.text, 0, len(fact.text))
        records.propositions.append(
            Proposition(unit, segment, page.page_id, 0, fact.text, 0, len(fact.text), READER)
        )
        records.pairs.append(
            QAPair(
                qa_pair_id(segment, fact.question, entity.start, entity.end), segment,
                page.page_id, 0, fact.question, fact.answer, entity.start, entity.end, (unit,),
                READER,
            )
        )  # fmt: skip
    if site.table:
        segment = segment_id(page.page_id, site.title, "", "table", site.table, 0)
        records.segments.append(
            Segment(
                segment, page.page_id, len(site.facts), "table", site.table, "", None, None
            )
        )  # fmt: skip
    return records


def write_tables(build: BuildDir, sites: Sequence[Site] = SITES, shards: int = SHARDS) -> None:
    """The tables of the jobs clean, extract and compose, with one reject each in shard 0."""
    by_shard: dict[int, list[Records]] = {shard: [] for shard in range(shards)}
    for records in map(records_of, sites):
        by_shard[shard_of(records.shard_key, shards)].append(records)
    for shard, all_records in by_shard.items():
        with shard_writers(build, shard, TABLES) as writers:
            pages, segments, rejects, propositions, pairs, composed, unread = writers
            for records in all_records:
                pages.add([records.page])
                segments.add(records.segments)
                propositions.add(records.propositions)
                pairs.add(records.pairs)
                composed.add(records.composed)
            if shard == 0:
                rejects.add([Reject("clean", "bad_json", "x.jsonl:1", "", "no JSON")])
                unread.add([Reject("extract", "no_units", "0" * 32, "", "")])


def as_before_pages_of_rejects(build: BuildDir) -> None:
    """Tables of rejects as older versions wrote them."""
    _rewrite(build, "*_rejects", REJECTS_WITHOUT_PAGES)


def as_before_kinds_of_pages(build: BuildDir) -> None:
    """Pages as older versions wrote them."""
    _rewrite(build, "10_pages", PAGES_WITHOUT_KINDS)


def as_before_bylines(build: BuildDir) -> None:
    """Pages as versions wrote them that knew kinds of pages and no authors."""
    _rewrite(build, "10_pages", PAGES_WITHOUT_BYLINES)


def as_before_posts(build: BuildDir) -> None:
    """Segments as versions wrote them that knew no posts."""
    _rewrite(build, "11_segments", SEGMENTS_WITHOUT_POSTS)


def _rewrite(build: BuildDir, tables: str, schema: pa.Schema) -> None:
    for path in sorted(build.root.glob(f"{tables}/*/*.parquet")):
        table = pq.read_table(path, partitioning=None).select(schema.names)
        pq.write_table(table.cast(schema), path, compression="zstd")


def random_head(seed: int = 7) -> HashHead:
    random = np.random.default_rng(seed)
    weight = random.normal(size=(BITS, DIMENSION)).astype(np.float32)
    bias = (random.normal(size=BITS) / 10).astype(np.float32)
    # Scores of about one, as a trained head gives them.
    units, queries = Projection(weight, bias), Projection(weight / BITS, bias / BITS)
    return HashHead(units, queries, FakeEncoder.fingerprint, 10)


def write_vectors(build: BuildDir, head: HashHead, shards: int = SHARDS) -> None:
    """Vectors of everything in the tables, by the fake encoder."""
    encoder = FakeEncoder()
    for shard in range(shards):
        units = list(unit_texts(build, shard))
        schema = vectors_schema(head.bits, DIMENSION)
        with shard_writers(build, shard, {VECTORS: schema}) as (writer,):
            if units:
                embeddings = encoder.encode([unit.text for unit in units])
                writer.add_table(vectors_table(units, embeddings, head))


def write_manifest(build: BuildDir, shards: int = SHARDS, parent: str | None = None) -> Manifest:
    """A manifest that is true of the files there are."""
    tables: dict[str, TableEntry] = {}
    for name in (*TABLES, VECTORS, MODELS, INDEX):
        files = []
        for path in sorted((build.root / name).rglob("*")):
            if path.is_file():
                rows = pq.read_metadata(path).num_rows if path.suffix == ".parquet" else 0
                where = path.relative_to(build.root).as_posix()
                files.append(FileEntry(where, rows, path.stat().st_size, sha256_of(path)))
        tables[name] = TableEntry(sum(file.rows for file in files), tuple(files))
    tables[INDEX] = TableEntry(tables[VECTORS].rows, tables[INDEX].files)
    rows = {name: entry.rows for name, entry in tables.items()}
    clean = {name: rows[name] for name in ("10_pages", "11_segments", "19_rejects")}
    extract = {name: rows[name] for name in ("20_propositions", "21_qa_pairs", "29_rejects")}
    pages, segments, vectors = rows["10_pages"], rows["11_segments"], rows[VECTORS]
    pairs, composed = rows["21_qa_pairs"], rows["22_composed_questions"]
    manifest = Manifest(
        build_id=build.build_id,
        parent=parent,
        created_at="2024-01-01T00:00:00+00:00",
        code_version="0" * 16,
        configuration={"shards": shards, "encoder": FakeEncoder.name},
        fingerprints={},
        tables=tables,
        counts={
            "clean": StageCounts(pages + 1, pages, {"bad_json": 1}, clean),
            "extract": StageCounts(segments, segments - 1, {"no_units": 1}, extract),
            "compose": StageCounts(pairs, pairs, {}, {"22_composed_questions": composed}),
            "encode": StageCounts(vectors, vectors, {}, {VECTORS: vectors}),
            "index": StageCounts(vectors, vectors, {}, {INDEX: vectors}),
        },
        llm={},
        timings={},
    )
    manifest.write(build)
    return manifest


def tiny_build(
    root: Path,
    sites: Sequence[Site] = SITES,
    shards: int = SHARDS,
    embeddings: bool = False,
    name: str = "tiny",
) -> BuildDir:
    """A whole build in a store at `root`, published."""
    store = Store(root)
    build = store.build(name)
    write_tables(build, sites, shards)
    head = random_head()
    head.save(build.models / "hash_head.safetensors")
    write_vectors(build, head, shards)
    for shard in range(shards):
        IndexShard(build, embeddings)(shard)
    FindNames(build, shards, None)(0)
    for shard in range(shards):
        LinkShard(build, None)(shard)
    discard(build.work)
    write_manifest(build, shards)
    store.publish(build)
    return build


@contextmanager
def fake_query_encoder() -> Iterator[None]:
    """Indexes that are opened meanwhile encode queries with a fake encoder of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("factmill.runtime.index.query_encoder", lambda *_: FakeEncoder())
        yield


def tiny_index(build: BuildDir) -> Index:
    """The build opened, with the fake encoder instead of the model."""
    with fake_query_encoder():
        return open_build(build)
