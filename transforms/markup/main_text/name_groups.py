"""Groups of words in class names and ids that indicate the purpose of a box.

Unlike `boilerplate_names`, they decide nothing by themselves: a learned model weighs them
(`block_features`).
"""

from __future__ import annotations

import re
from functools import lru_cache

from factmill.transforms.markup.main_text.boilerplate_names import without_random_parts

_GROUPS = {
    "navigation": "nav navbar navigation menu menus submenu megamenu dropdown breadcrumb"
    " breadcrumbs pagination pager paging toc skip tabs topbar toolbar sitemap",
    "header": "header masthead banner hero jumbotron",
    "footer": "footer copyright legal colophon bottom",
    "side": "sidebar aside rail widget widgets secondary complementary",
    "related": "related recommended recommendations recommendation similar also recently viewed"
    " trending popular more upsell crosssell suggestions next teaser promo promos"
    " promotion carousel slider slick swiper",
    "account": "share sharing social socials follow newsletter subscribe subscription signup"
    " register login signin donate cookie cookies consent gdpr modal popup overlay"
    " lightbox dialog drawer offcanvas ad ads advert advertisement sponsor sponsored",
    "filter": "filter filters facet facets sort sorting refine refinement refinements toolbar"
    " swatch swatches selector options option quantity qty variant variants search"
    " searchform autocomplete",
    "cart": "cart minicart basket checkout wishlist compare button buttons btn cta addtocart"
    " stock shipping delivery payment",
    "byline": "meta metadata author authors byline bio avatar timestamp time date published"
    " posted user username signature profile stats badge badges rank tag tags category"
    " categories label labels",
    "comment": "comment comments reply replies respond disqus review reviews rating ratings"
    " testimonial testimonials",
    "main": "main content contents article entry body container page primary center maincontent",
    "post": "post posts message messages thread topic discussion answer answers question"
    " questions cooked bbcode postbody bbwrapper quote",
    "product": "product products description desc specification specifications specs spec"
    " details detail features feature summary overview attributes attribute"
    " information info accordion tab panel pane",
    "item": "item items card cards tile tiles grid list listing listings result results row"
    " collection catalog catalogue gallery teaser",
    "price": "price prices pricing amount money sale",
    "title": "title heading headline name subtitle",
    "question": "faq faqs accordion collapse collapsible toggle",
    "code": "code highlight codehilite syntax snippet pre example",
    "manual": "doc docs documentation section markdown rst theme",
    "hidden": "hidden visually screen reader noprint none hide mobile desktop",
}
GROUP_NAMES = tuple(_GROUPS)
_BITS: dict[str, int] = {}
for _bit, _group in enumerate(_GROUPS.values()):
    for _word in _group.split():
        _BITS[_word] = _BITS.get(_word, 0) | 1 << _bit
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


@lru_cache(maxsize=1 << 15)
def name_groups(name: str) -> int:
    """A bit for every group of `GROUP_NAMES` with a word of the name."""
    bits = 0
    for word in _WORD.findall(without_random_parts(name)):
        bits |= _BITS.get(word.lower(), 0)
    return bits
