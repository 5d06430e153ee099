"""A trained pipeline instead of the rules; a pipeline written on the spot stands for one."""

import subprocess
import sys
from pathlib import Path

import pytest

from factmill.models.text.entities import EntityFinder, entity_finder
from factmill.schemas.errors import OptionError
from tests.conftest import ROOT


@pytest.fixture
def pipeline(tmp_path: Path) -> str:
    import spacy  # here and below, not in each process of the suite: it takes a second

    language = spacy.blank("en")
    ruler = language.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "GPE", "pattern": [{"LOWER": "oslo"}]}])
    language.to_disk(tmp_path / "pipeline")
    return str(tmp_path / "pipeline")


def test_trained_find_texts_have_the_entities_of_the_pipeline_in_their_order(pipeline: str) -> None:
    from factmill.models.text.spacy_entities import SpacyEntityFinder

    texts = ["It is in 😀 oslo.", "", "Bergen"]
    first, *others = SpacyEntityFinder(pipeline).find(texts)
    assert [(e.text, e.label, e.start, e.end) for e in first] == [("oslo", "GPE", 11, 15)]
    assert others == [(), ()]


def test_trained_find_text_beyond_the_limit_of_spacy_is_read_up_to_it(pipeline: str) -> None:
    from factmill.models.text.spacy_entities import SpacyEntityFinder

    (entities,) = SpacyEntityFinder(pipeline).find(["oslo " + "a" * 1_000_000 + " oslo"])
    assert [entity.start for entity in entities] == [0]


def test_entity_finder_is_the_rules_or_the_pipeline_or_an_error(pipeline: str) -> None:
    from factmill.models.text.spacy_entities import SpacyEntityFinder

    assert isinstance(entity_finder(), EntityFinder)
    assert isinstance(entity_finder(pipeline), SpacyEntityFinder)
    for name in ("no_such_pipeline", str(Path(pipeline) / "vocab")):
        with pytest.raises(OptionError, match="not a spaCy pipeline"):
            entity_finder(name)


def test_rules_do_not_load_spacy() -> None:
    program = """
import sys
from factmill.models.text.entities import entity_finder
entity_finder()
print(*sys.modules)
"""
    loaded = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert "factmill.models.text.entities" in loaded
    assert not {"spacy", "torch"} & set(loaded)
