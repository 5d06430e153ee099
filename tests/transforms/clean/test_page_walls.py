"""Pages without content are rejected, and pages that speak of such pages stay."""

import pytest

from factmill.schemas.errors import Rejected
from factmill.schemas.records import Reject
from factmill.transforms.clean.extract_page import extract_page
from factmill.transforms.clean.page_walls import reject_walls
from factmill.transforms.inputs.raw_page import RawPage

_LOREM = (
    "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut "
    "labore et dolore magna aliqua. Quis ipsum suspendisse ultrices gravida."
)
_STORY = (
    "Lorem ipsum is a text that printers use where the real one is missing. It comes from a book "
    "of Cicero. It begins with the words: Lorem ipsum dolor sit amet, consectetur adipiscing elit."
)
_ANUBIS = (
    "You are seeing this because the administrator of this website has set up Anubis. "
    "Anubis uses a Proof-of-Work scheme in the vein of Hashcash, a scheme against unwanted mail. "
) + "At single visits the cost is small, and for many visits it adds up. " * 6


_LEAD = "Each year the harbour office ranks the lamps of the coast by how far they are seen. " * 4


@pytest.mark.parametrize(
    ("title", "text", "reason"),
    [
        ("Just a moment...", "Checking your browser before accessing Skell.", "access_wall"),
        ("skell.example", "Please enable cookies.\nSorry, you have been blocked.", "access_wall"),
        ("Skell", "You need to enable JavaScript to run this app.", "access_wall"),
        ("Access Denied", "You don't have permission to access it. Reference #18.", "access_wall"),
        ("Skell", "Please verify you are a human. Complete the captcha to go on.", "access_wall"),
        ("Making sure you're not a bot!", _ANUBIS, "access_wall"),
        ("Skell", "We use cookies. Accept all cookies or manage all cookies here.", "access_wall"),
        ("skell.example", "This domain is for sale. Buy this domain today.", "parked_domain"),
        ("Home", f"Our lamps\n{_LOREM}", "placeholder_text"),
    ],
)  # fmt: skip
def test_page_without_content_is_rejected_with_a_reason(title: str, text: str, reason: str) -> None:
    with pytest.raises(Rejected) as why:
        reject_walls(title, text, ())
    assert why.value.reason == reason


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Lorem ipsum", _STORY),
        ("Lamps", f"{_LEAD}\n{_LOREM * 3}"),
        ("Captcha", "A captcha is a test that tells people and programs apart. " * 9
         + "It often says: verify you are a human."),
        ("Access Denied (film)", "Access Denied is a 1998 film about a keeper of a lighthouse."),
        ("Access Denied", "Access Denied is a 1998 film. It was shot in Oslo in three weeks."),
        ("Harrow Lamps", "Harrow Lamps is open from nine to five. The shop lies in 5 Main Street, "
         "Skell, beside the harbour and the chandler. Please enable JavaScript to see the map."),
        ("Bitcoin", "Bitcoin uses a proof-of-work scheme. Blocks are found every ten minutes."),
        ("How cookies work", "A site must ask before it sets cookies. "
         "The browser sends them back with each request, and the server knows who asks. "
         "Users can turn this off. We use cookies as an example."),
        ("Skell News", "The domain skell.example has been registered since 1998. " + "The harbour "
         "was closed in March, because the pier had to be repaired after a storm. " * 2),
    ],
)  # fmt: skip
def test_page_that_says_something_else_stays(title: str, text: str) -> None:
    reject_walls(title, text, ())


def test_page_with_data_stays() -> None:
    wall = "You need to enable JavaScript to run this app."
    reject_walls("Storm lantern", wall, ("Product: Storm lantern\nPrice: 30 EUR",))


def test_wall_is_a_reject_of_its_page() -> None:
    html = (
        "<title>Just a moment...</title><p>Checking your browser before accessing skell.example. "
        "This process is automatic. Your browser will redirect to your requested content.</p>"
    )
    found = extract_page(RawPage("1", "https://skell.example/", html=html))
    assert isinstance(found, Reject)
    assert found.reason == "access_wall"
