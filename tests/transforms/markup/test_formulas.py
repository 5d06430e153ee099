from __future__ import annotations

import time

import pytest

from factmill.transforms.markup.formulas import write_formulas
from factmill.transforms.markup.html_tree import parse_html
from factmill.transforms.markup.main_text.blocks import read_blocks

_ENERGY = (
    "<math><semantics><mrow><mi>E</mi><mo>=</mo><mfrac><mn>1</mn><mn>2</mn></mfrac><mi>m</mi>"
    "<mo>&#x2062;</mo><msup><mi>v</mi><mn>2</mn></msup></mrow>"
    "<annotation encoding='application/x-tex'>E=\\frac12mv^2</annotation></semantics></math>"
)


def _text(html: str) -> str:
    tree = parse_html(f"<p>It is {html} here.</p>")
    assert tree is not None
    write_formulas(tree)
    return "\n".join(block.text for block in read_blocks(tree).blocks)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (_ENERGY, "E = 1/2 mv^2"),
        (
            f"<span class=katex><span class=katex-mathml>{_ENERGY}</span>"
            "<span class=katex-html aria-hidden=true><span>E=21</span>mv2</span></span>",
            "E = 1/2 mv^2",
        ),
        (
            "<span class=mwe-math-element><span class=mwe-math-mathml-inline style='display: none'>"
            f"{_ENERGY}</span><img class=mwe-math-fallback-image-inline alt='E'></span>",
            "E = 1/2 mv^2",
        ),
        ("<img class=tex alt='{\\displaystyle x^{2}}'>", "x^{2}"),
        ("<span class=MathJax>a+<b>b</b></span><script type=math/tex>a+b</script>", "a+b"),
        ("<math><annotation>x^2</annotation></math>", "x^2"),
        (
            "<span class=MathJax><math><mi>x</mi></math></span> or "
            "<span class=MathJax><math><mi>y</mi></math></span>",
            "x or y",
        ),
        (
            "<math><msubsup><mi>x</mi><mi>i</mi><mrow><mn>2</mn><mi>n</mi></mrow></msubsup>"
            "<mo>&le;</mo><msqrt><mi>a</mi><mo>+</mo><mi>b</mi></msqrt></math>",
            "x_i^(2n) ≤ √(a+b)",
        ),
        ("<math><msup><mn>10</mn><mrow><mo>−</mo><mn>8</mn></mrow></msup></math>", "10^−8"),
        ("<math><msup><mi>f</mi><mo>′</mo></msup><mfenced><mi>x</mi></mfenced></math>", "f′(x)"),
    ],
)
def test_write_formulas_leaves_one_line_in_the_sentence(html: str, text: str) -> None:
    assert _text(html) == f"It is {text} here."


def test_write_formulas_long_one_is_left_out_and_deep_one_ends() -> None:
    assert _text(f"<math><mi>{'x' * 301}</mi></math>") == "It is here."
    deep = "<mrow>" * 200 + "<mi>x</mi>" + "</mrow>" * 200
    assert _text(f"<math>{deep}</math>") == "It is x here."


@pytest.mark.parametrize(
    "html",
    [
        "<span><math><mi>x</mi></math></span>" * 3000,
        "<span></span><script type=math/tex>x</script>" * 3000,
        "<span><img class=tex alt=x></span>" * 3000,
        "<img class=tex alt='" + "{\\displaystyle " * 12_000 + "'>",
        "<math><mi>x</mi>" * 4000,
    ],
    ids=["spans", "scripts", "pictures", "source", "nested"],
)
def test_write_formulas_of_a_hostile_page_takes_linear_time(html: str) -> None:
    tree = parse_html(f"<p>{html}</p>")
    assert tree is not None
    began = time.process_time()
    write_formulas(tree)
    assert time.process_time() - began < 1.5  # a square would take more
