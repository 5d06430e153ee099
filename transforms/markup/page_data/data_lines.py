"""Items of a page as lines of key and value, to be read as segments.

    Product: Storm lantern X200             Questions: Storm lantern X200
    Brand: Lumen                            Question: How long does an X200 burn?
    Price: 29.00 EUR                        Answer: An X200 burns for nine hours.

Only items that the page is about are kept, and only properties that are stable from day to day:
ratings and stocks change, and each change would be a new segment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from factmill.models.text.sentences import split_sentences
from factmill.transforms.markup.page_data.data_items import DataItem, every_item

# The lines of each kind of item: properties of schema.org, with their keys.
_PRODUCT = {
    "brand": "Brand", "manufacturer": "Manufacturer", "model": "Model", "sku": "SKU", "mpn": "MPN",
    "gtin13": "GTIN", "isbn": "ISBN", "category": "Category", "color": "Color",
    "material": "Material", "size": "Size", "weight": "Weight", "width": "Width",
    "height": "Height", "depth": "Depth", "releaseDate": "Release date",
}  # fmt: skip
_RECIPE = {
    "author": "Author", "recipeYield": "Yield", "prepTime": "Preparation time",
    "cookTime": "Cooking time", "totalTime": "Total time", "recipeCategory": "Category",
    "recipeCuisine": "Cuisine", "recipeIngredient": "Ingredients",
}  # fmt: skip
_EVENT = {
    "startDate": "Start date", "endDate": "End date", "location": "Location",
    "organizer": "Organizer", "performer": "Performers", "director": "Director",
}  # fmt: skip
_PERSON = {
    "jobTitle": "Occupation", "worksFor": "Employer", "affiliation": "Affiliation",
    "birthDate": "Date of birth", "birthPlace": "Birthplace", "nationality": "Nationality",
    "alumniOf": "Education", "award": "Awards",
}  # fmt: skip
_ORGANIZATION = {
    "legalName": "Legal name", "founder": "Founders", "foundingDate": "Founding date",
    "address": "Address", "telephone": "Telephone", "email": "Email",
}  # fmt: skip
_ARTICLE = {"author": "Author", "datePublished": "Publication date", "publisher": "Publisher"}
_APPLICATION = {
    "author": "Author", "operatingSystem": "Platform", "softwareVersion": "Version",
    "fileSize": "Size",
}  # fmt: skip
# The name of a schema.org type in the first line, by the end of the type.
_LABELS = {
    "Product": "Product", "ProductGroup": "Product", "Book": "Book", "Application": "Application",
    "Recipe": "Recipe", "Event": "Event", "Person": "Person", "Article": "Article",
    "BlogPosting": "Article", "Organization": "Organization", "Corporation": "Organization",
    "LocalBusiness": "Organization", "Restaurant": "Organization", "Store": "Organization",
}  # fmt: skip
_KEYS = {
    "Product": _PRODUCT, "Book": {"author": "Author", **_PRODUCT}, "Application": _APPLICATION,
    "Recipe": _RECIPE, "Event": _EVENT, "Person": _PERSON, "Article": _ARTICLE,
    "Organization": _ORGANIZATION,
}  # fmt: skip
# Pages also describe their site and author with these types, which they are not about.
_OFTEN_THE_SITES = frozenset({"Organization", "Person"})
_ABOUT = ("mainEntity", "mainEntityOfPage", "about", "itemReviewed", "hasVariant")
_ADDRESS_PARTS = (
    "streetAddress", "postalCode", "addressLocality", "addressRegion", "addressCountry",
)  # fmt: skip
# UN/CEFACT's codes of units.
_UNITS = {
    "KGM": "kg", "GRM": "g", "LBR": "lb", "ONZ": "oz", "MMT": "mm", "CMT": "cm", "MTR": "m",
    "KMT": "km", "INH": "in", "FOT": "ft", "LTR": "l", "MLT": "ml",
}  # fmt: skip
_AMOUNT = re.compile(r"\d{1,12}(?:\.\d{1,6})?")
_ONE_DECIMAL = re.compile(r"\d+\.\d")
_DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")
_DAY = re.compile(r"(\d{4}-\d\d-\d\d)T\S*")
_LINK = re.compile(r"https?://|www\.")
# A page describes few items at length; further ones form a list, which the text also has.
_MAX_THINGS = 5
_MAX_LINES = 40
_MAX_VALUE = 1000
_MAX_KEY = 40
_MAX_CHARACTERS = 4000


def data_texts(items: Sequence[DataItem], title: str) -> tuple[str, ...]:
    """The text of each segment: the kind and name of an item, then its properties.

    `title` names questions and answers, which have no name of their own.
    """
    things = _things(items)
    found: list[str] = []
    if title and (asked := [pair for one in things for pair in _question(one)]):
        found += _segments(f"Questions: {title}", asked)
    described = 0
    for item in things:
        label = _label(item.kind)
        name = _one_line(item.text("name") or item.text("headline"))
        lines = list(dict.fromkeys(_lines(item, _KEYS[label]))) if label and name else []
        if len(lines) > 1 and described < _MAX_THINGS:
            described += 1
            found += _segments(f"{label}: {name}", lines)
    return tuple(dict.fromkeys(found))


def _things(items: Sequence[DataItem]) -> list[DataItem]:
    """The items that the page may be about, in order: top-level items, and what they are about."""
    about = [one for item in every_item(items) for name in _ABOUT for one in item.items(name)]
    top = [one for one in items if _label(one.kind) not in _OFTEN_THE_SITES]
    return list({id(one): one for one in [*top, *about]}.values())


def _label(kind: str) -> str:
    """The name of a kind, or "" for kinds that are not described in lines."""
    return next((label for ending, label in _LABELS.items() if kind.endswith(ending)), "")


def _question(item: DataItem) -> Iterator[str]:
    """A question and its answer, as two lines."""
    if item.kind != "Question":
        return
    question = _one_line(item.text("name") or item.text("text"))
    answers = item.items("acceptedAnswer") or item.items("suggestedAnswer")
    answer = _one_line(answers[0].text("text")) if answers else ""
    if question and answer:
        yield f"Question: {question}\nAnswer: {answer}"


def _lines(item: DataItem, keys: dict[str, str]) -> Iterator[str]:
    for name, key in keys.items():
        values = [one for value in item.properties.get(name, ()) for one in _said(value)]
        # A number is often said again with what it counts: "4", "4 servings".
        counted = {one.partition(" ")[0] for one in values if " " in one}
        kept = [one for one in values if not (one.isdecimal() and one in counted)]
        if kept:
            yield f"{key}: {_joined(dict.fromkeys(kept))}"
    if price := _price(item.items("offers")):
        yield f"Price: {price}"
    for stated in item.items("additionalProperty"):
        key, value = _one_line(stated.text("name")), _one_line(stated.text("value"))
        if key and value and len(key) < _MAX_KEY and not _LINK.search(value):
            yield f"{key[0].upper()}{key[1:]}: {value} {stated.text('unitText')}".rstrip()


def _price(offers: Sequence[DataItem]) -> str:
    """The price with its currency, or ""; of several the least and the greatest, if they can be
    compared, else the first."""
    found = [(amount, currency) for offer in offers for amount, currency in _amounts(offer)]
    if not found:
        return ""
    first, currency = found[0]
    amounts = [amount for amount, _ in found]
    if all(one == currency for _, one in found) and all(map(_AMOUNT.fullmatch, amounts)):
        least, greatest = min(amounts, key=float), max(amounts, key=float)
        if float(least) < float(greatest):
            first = f"{least} to {greatest}"
    return f"{first} {currency}".rstrip()


def _amounts(offer: DataItem) -> Iterator[tuple[str, str]]:
    """What an offer costs, each with its currency: of an aggregate offer both ends."""
    for stated in (offer, *offer.items("priceSpecification")[:1]):
        currency = stated.text("priceCurrency") or offer.text("priceCurrency")
        names = ("price",) if stated.text("price") else ("lowPrice", "highPrice")
        ends = [end for name in names if (end := stated.text(name))]
        if ends:
            yield from ((_with_cents(end), currency) for end in ends)
            return


def _with_cents(amount: str) -> str:
    """An amount with one decimal, which is how programs write it, as people do: "39.00"."""
    return f"{amount}0" if _ONE_DECIMAL.fullmatch(amount) else amount


def _joined(values: Iterable[str]) -> str:
    """The first values, as many as are not too long together."""
    text = ""
    for value in values:
        longer = f"{text}, {value}" if text else value
        if len(longer) > _MAX_VALUE:
            break
        text = longer
    return text


def _said(value: str | DataItem) -> Iterator[str]:
    """A value as text for people; "" for links."""
    if isinstance(value, DataItem) and (measure := _measure(value)):
        value = measure
    elif isinstance(value, DataItem):
        address = value.items("address") or [value]
        parts = [_one_line(address[0].text(name)) for name in _ADDRESS_PARTS]
        value = ", ".join(part for part in (_one_line(value.text("name")), *parts) if part)
    text = _one_line(value)
    if duration := _DURATION.fullmatch(text):
        units = zip(duration.groups(), ("days", "hours", "minutes", "seconds"), strict=True)
        parts = [
            f"{int(number)} {unit.removesuffix('s') if int(number) == 1 else unit}"
            for number, unit in units
            if int(number or 0)
        ]
        text = " ".join(parts) or text  # "P" may be a size
    elif day := _DAY.fullmatch(text):
        text = day[1]
    if text and not _LINK.search(text):
        yield text


def _measure(value: DataItem) -> str:
    """A quantity with its unit, or ""."""
    number = value.text("value")
    if not number or not number[-1].isdigit():
        return number
    code = value.text("unitCode")
    return f"{number} {value.text('unitText') or _UNITS.get(code.upper(), code)}".rstrip()


def _segments(first: str, lines: Sequence[str]) -> Iterator[str]:
    """Texts of at most `_MAX_CHARACTERS`, each beginning with the first line."""
    text, count = first, 0
    for line in lines[:_MAX_LINES]:
        if count and len(text) + len(line) > _MAX_CHARACTERS:
            yield text
            text, count = first, 0
        text += "\n" + line
        count += 1
    yield text


def _one_line(text: str) -> str:
    """The text on one line; of a long one the first sentences, or words where one is as long."""
    line = " ".join(text.split())
    if len(line) <= _MAX_VALUE:
        return line
    begun = line[:_MAX_VALUE]
    # The last sentence may go on.
    whole = [end for _, end in split_sentences(begun)][-2:-1]
    return begun[: whole[0]] if whole else begun.rpartition(" ")[0] or begun
