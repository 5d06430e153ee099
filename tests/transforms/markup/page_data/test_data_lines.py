from __future__ import annotations

import time

import pytest

from factmill.transforms.markup.html_tree import parse_html
from factmill.transforms.markup.page_data.data_items import DataItem
from factmill.transforms.markup.page_data.data_lines import data_texts
from factmill.transforms.markup.page_data.marked_items import marked_items


def _item(kind: str, **said: str | DataItem | list[DataItem]) -> DataItem:
    item = DataItem(kind)
    for name, values in said.items():
        for value in values if isinstance(values, list) else [values]:
            item.add(name, value)
    return item


def _asked(question: str, answer: str) -> DataItem:
    return _item("Question", name=question, acceptedAnswer=_item("Answer", text=answer))


def test_data_texts_of_a_product_are_its_lines_without_what_changes_daily() -> None:
    lamp = _item(
        "Product",
        name="Storm lantern X200",
        brand=_item("Brand", name="Lumen"),
        url="https://lamps.example/x200",
        material="https://schema.org/Brass",
        aggregateRating=_item("AggregateRating", ratingValue="4.2"),
        offers=[_item("Offer", price="29.00", priceCurrency="EUR")],
        additionalProperty=[_item("PropertyValue", name="burning time", value="9", unitText="h")],
    )
    assert data_texts([lamp], "Lamps") == (
        "Product: Storm lantern X200\nBrand: Lumen\nPrice: 29.00 EUR\nBurning time: 9 h",
    )


def test_data_texts_of_a_page_of_questions_have_each_question_above_its_answer() -> None:
    page = _item("FAQPage", mainEntity=[_asked("What is an X200?", "A lamp."), _asked("How?", "")])
    assert data_texts([page], "Lamps") == (
        "Questions: Lamps\nQuestion: What is an X200?\nAnswer: A lamp.",
    )
    assert data_texts([page], "") == ()


def test_data_texts_are_cut_at_lines_and_keep_the_first() -> None:
    pairs = [_asked(f"What is an X{n}?", "A lamp. " * 100) for n in range(12)]
    texts = data_texts([_item("FAQPage", mainEntity=pairs)], "Lamps")
    assert len(texts) > 1
    assert all(text.startswith("Questions: Lamps\nQuestion: ") for text in texts)
    assert max(map(len, texts)) <= 4000
    assert sum(text.count("\nAnswer: ") for text in texts) == 12


@pytest.mark.parametrize("currency", ["offer", "specification"])
def test_data_texts_have_the_price_of_a_specification(currency: str) -> None:
    new = _item("UnitPriceSpecification", price="29.00")
    offer = _item("Offer", priceSpecification=[new, _item("PriceSpecification", price="39.00")])
    (offer if currency == "offer" else new).add("priceCurrency", "EUR")
    lamp = _item("Product", name="Lamp", brand="Lumen", offers=offer)
    assert data_texts([lamp], "") == ("Product: Lamp\nBrand: Lumen\nPrice: 29.00 EUR",)


@pytest.mark.parametrize(
    ("offers", "said"),
    [
        ([_item("AggregateOffer", lowPrice="10.00", highPrice="20.00", priceCurrency="USD")],
         "10.00 to 20.00 USD"),
        ([_item("AggregateOffer", lowPrice="9", highPrice="9.00", priceCurrency="USD")], "9 USD"),
        ([_item("Offer", price=price, priceCurrency="EUR") for price in ("9", "5.50", "120")],
         "5.50 to 120 EUR"),
        ([_item("Offer", price="9", priceCurrency=currency) for currency in ("EUR", "USD")],
         "9 EUR"),
        ([_item("Offer", price=price) for price in ("1,299", "5")], "1,299"),
        ([_item("Offer", price="39.0", priceCurrency="USD")], "39.00 USD"),
    ],
)  # fmt: skip
def test_data_texts_of_several_prices_have_both_ends(offers: list[DataItem], said: str) -> None:
    lamp = _item("Product", name="Lamp", brand="Lumen", offers=offers)
    assert data_texts([lamp], "") == (f"Product: Lamp\nBrand: Lumen\nPrice: {said}",)


def test_data_texts_of_a_quantity_have_its_unit() -> None:
    lamp = _item(
        "Product",
        name="Lamp",
        weight=_item("QuantitativeValue", value="1.2", unitCode="KGM"),
        height=_item("QuantitativeValue", value="30", unitText="cm"),
        width=_item("QuantitativeValue", value="12 in", unitCode="INH"),
    )
    assert data_texts([lamp], "") == ("Product: Lamp\nWeight: 1.2 kg\nWidth: 12 in\nHeight: 30 cm",)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("A lamp burns. " * 100, "A lamp burns. " * 70 + "A lamp burns."),
        ("lamps and " * 200, "lamps and " * 99 + "lamps and"),
        ("x" * 2000, "x" * 1000),
    ],
)
def test_data_texts_end_long_values_between_sentences_or_words(answer: str, said: str) -> None:
    assert data_texts([_asked("What?", answer)], "Lamps") == (
        f"Questions: Lamps\nQuestion: What?\nAnswer: {said}",
    )


def test_data_texts_end_long_lists_between_values() -> None:
    oils = [f"{n} litres of oil" for n in range(200)]
    text = data_texts([_item("Recipe", name="X", recipeYield="1", recipeIngredient=oils)], "")[0]
    values = text.partition("Ingredients: ")[2].split(", ")
    assert 50 < len(values) < 70
    assert values == oils[: len(values)]


def test_data_texts_of_many_numbers_take_linear_time() -> None:
    numbers = [*map(str, range(8000)), "7 loaves"]
    item = _item("Recipe", name="X", recipeYield="1", recipeIngredient=numbers)
    began = time.process_time()
    (text, *_) = data_texts([item], "")
    assert time.process_time() - began < 3  # a square would take 7 seconds
    assert "6, 8, 9" in text


def test_data_texts_leave_out_who_runs_the_site() -> None:
    club = _item("SportsOrganization", name="Lamp Club", telephone="123", foundingDate="1999-01-01")
    assert data_texts([club, _item("WebPage", publisher=club)], "Lamps") == ()
    assert data_texts([_item("ProfilePage", mainEntity=club)], "Lamps") == (
        "Organization: Lamp Club\nFounding date: 1999-01-01\nTelephone: 123",
    )


def test_data_texts_say_times_and_addresses_as_people_do() -> None:
    hall = _item(
        "MusicVenue",
        name="Lamp Hall",
        address=_item("PostalAddress", streetAddress="7 Wick St", addressLocality="Oslo"),
    )
    evening = _item(
        "MusicEvent", name="Lights", startDate="2024-05-06T19:00:00+02:00", location=hall
    )
    bread = _item("Recipe", name="Bread", prepTime="PT1H30M", recipeYield=["2", "2 loaves"])
    assert data_texts([evening, bread], "") == (
        "Event: Lights\nStart date: 2024-05-06\nLocation: Lamp Hall, 7 Wick St, Oslo",
        "Recipe: Bread\nYield: 2 loaves\nPreparation time: 1 hour 30 minutes",
    )


@pytest.mark.parametrize(
    ("duration", "said"),
    [("PT30S", "30 seconds"), ("P1DT1H30S", "1 day 1 hour 30 seconds"), ("PT0M", "PT0M")],
)
def test_data_texts_say_all_of_a_duration(duration: str, said: str) -> None:
    egg = _item("Recipe", name="Egg", recipeYield="1 egg", cookTime=duration)
    assert data_texts([egg], "") == (f"Recipe: Egg\nYield: 1 egg\nCooking time: {said}",)


def test_data_texts_of_sizes_have_the_one_that_begins_durations() -> None:
    shirt = _item("Product", name="Shirt", color="red", size=["P", "M", "G"])
    assert data_texts([shirt], "") == ("Product: Shirt\nColor: red\nSize: P, M, G",)


def test_data_texts_of_a_page_in_microdata() -> None:
    tree = parse_html(
        "<div itemscope itemtype='http://schema.org/Book'><b itemprop='name'>Wicks</b>"
        "<i itemprop='author'>Ada Quist</i><i itemprop='isbn'>123</i></div>"
    )
    assert tree is not None
    assert data_texts(marked_items(tree), "") == ("Book: Wicks\nAuthor: Ada Quist\nISBN: 123",)
