"""Canonical spelling of the URLs of a page.

Page ids come from URLs, so two spellings would be two pages, and one spelling for two pages would
silently lose one of them. The second error is worse: only what standards or the makers of a
parameter declare meaningless is dropped. The order of parameters stays, and so do scheme, `www.`, a
final slash and `index.html`, because servers may answer each differently.

Alternatives: courlan drops parameters whose names merely begin like a tracker's (`gallery`,
`glossary`) and those without a value; w3lib raises on a bad port and has no list of trackers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

import idna

from factmill.models.text.url_credentials import without_credentials

# Browsers treat a backslash as a slash.
_WEB_URL = re.compile(r"(https?):[/\\]{2,}([^/?#\\]*)([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.I | re.S)
# Zeros are read in one way, or a port of 20,000 of them takes seconds.
_HOST_AND_PORT = re.compile(r"(\[[^\]]*\]|[^:\[\]]*)(?::0*((?:[1-9][0-9]*)?))?")
_DEFAULT_PORTS = {("http", "80"), ("https", "443")}
# Browsers drop line breaks and tabs inside a URL, and white space and control characters around it.
_BREAKS = re.compile(r"[\t\r\n]")
_AROUND = "".join(map(chr, range(33))) + "\x7f<>\"'"
# The apostrophe is encoded too, so that a final one is never taken for a quotation mark around the
# URL.
_LEFT_OVER = re.compile(r"%(?:[0-9a-fA-F]{2})?|[^!$&()*+,\-./0-9:;=?@A-Z\[\]_a-z~]")
_UNRESERVED = re.compile(r"[A-Za-z0-9\-._~]")
# Client-side routes: `#!/a` and `#/a` are pages.
_ROUTE = ("!", "/")
_PATH_SESSION = re.compile(
    r";(?:jsessionid|phpsessid)=[^;/]*|(?<=/)\(S\([a-z0-9]{24}\)\)/", re.IGNORECASE
)
_TRACKERS = frozenset(
    """
    gclid gclsrc dclid gbraid wbraid fbclid msclkid yclid ysclid twclid ttclid li_fat_id igsh igshid
    epik srsltid mc_cid mc_eid _hsenc _hsmi __hssc __hstc __hsfp hsctatracking _ga _gl mkt_tok
    vero_id vero_conv oly_anon_id oly_enc_id rb_clickid s_cid wickedid _openstat
    phpsessid jsessionid oscsid zenid cftoken
    """.split()
)
_TRACKER_PREFIXES = ("utm_", "mtm_", "matomo_", "piwik_", "pk_", "aspsessionid")
# Session parameters of forum software; with other values they mean something else.
_SHORT_SESSIONS = frozenset({"sid", "s", "sess", "session"})
# Parameters that grant access, for `without_tokens`.
_TOKENS = frozenset(
    """
    token auth authorization apikey jwt sig signature password passwd pwd secret accesstoken
    authtoken awsaccesskeyid x_amz_credential x_goog_credential sessiontoken
    """.split()
)
_TOKEN_ENDINGS = ("_token", "_signature", "_secret", "_password", "api_key", "access_key")
_DIGEST = re.compile(r"[0-9a-f]{32}")


def canonical_url_of(url: str) -> str:
    """The canonical spelling of an http(s) URL; any other string loses only surrounding characters,
    and a user name and password.

    Never raises, and is idempotent.
    """
    stripped = _BREAKS.sub("", url).strip(_AROUND)
    web_url = _canonical_web_url(stripped)
    if web_url is None:  # without the credentials, it may be one
        stripped = without_credentials(stripped)
        web_url = _canonical_web_url(stripped)
    return stripped if web_url is None else web_url


def _canonical_web_url(url: str) -> str | None:
    """None for anything but an http(s) URL with a host."""
    match = _WEB_URL.fullmatch(url)
    if match is None:
        return None
    scheme, authority, path, query, fragment = match.groups("")
    scheme = scheme.lower()
    host = _authority(scheme, authority)
    return f"{scheme}://{host}{_path(path)}{_query(query)}{_fragment(fragment)}" if host else None


def without_tokens(url: str) -> str:
    """The canonical URL without parameters that are named like secrets."""
    start, question, rest = url.partition("?")
    query, sharp, fragment = rest.partition("#")
    kept = [one for one in query.split("&") if not _is_token(one)]
    return start + (question if any(kept) else "") + "&".join(kept) + sharp + fragment


def _is_token(parameter: str) -> bool:
    name = _LEFT_OVER.sub(_normal, parameter.partition("=")[0]).lower().replace("-", "_")
    return name in _TOKENS or name.endswith(_TOKEN_ENDINGS)


def by_canonical_url(names: Iterable[str]) -> dict[str, set[str]]:
    """The names that are http(s) URLs, by canonical spelling."""
    found: dict[str, set[str]] = {}
    for name in names:
        if _WEB_URL.fullmatch(name.strip(_AROUND)):
            found.setdefault(canonical_url_of(name), set()).add(name)
    return found


def _authority(scheme: str, authority: str) -> str:
    """Host and port, without user name and password, which identify a reader, not a page."""
    authority = authority.rpartition("@")[2]
    match = _HOST_AND_PORT.fullmatch(authority)
    if match is None:
        return _LEFT_OVER.sub(_normal, authority).lower()
    host, port = match.groups("")
    host = _host(host)
    return host if not port or (scheme, port) in _DEFAULT_PORTS else f"{host}:{port}"


@lru_cache(maxsize=4096)
def _host(host: str) -> str:
    host = host.lower().strip(".")
    if not host.isascii():
        try:
            host = idna.encode(host, uts46=True).decode("ascii")
        except (idna.IDNAError, UnicodeError):
            host = "".join(_encoded(char) for char in host)
    return _LEFT_OVER.sub(_normal, host).lower().strip(".")


def _path(path: str) -> str:
    normal = _LEFT_OVER.sub(_normal, _PATH_SESSION.sub("", path.replace("\\", "/")))
    kept: list[str] = []
    parts = normal.split("/")[1:] or [""]
    for part in parts:
        if part == "..":
            del kept[-1:]
        elif part != ".":
            kept.append(part)
    if parts[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


def _query(query: str) -> str:
    """The parameters that identify the page, in order. An escaped `&` was copied from HTML."""
    parameters = re.sub("&(?:amp;)+", "&", query, flags=re.IGNORECASE).split("&")
    kept = [_LEFT_OVER.sub(_normal, one) for one in parameters if one and not _is_tracker(one)]
    return "?" + "&".join(kept) if kept else ""


def _is_tracker(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    name = _LEFT_OVER.sub(_normal, name).lower()
    if name in _SHORT_SESSIONS:
        return _DIGEST.fullmatch(value) is not None
    return name in _TRACKERS or name.startswith(_TRACKER_PREFIXES)


def _fragment(fragment: str) -> str:
    if not fragment.startswith(_ROUTE) or len(fragment) == 1:
        return ""
    return "#" + _LEFT_OVER.sub(_normal, fragment)


def _normal(match: re.Match[str]) -> str:
    """A percent triplet in normal form, or the triplet of a character that needs one.

    A percent sign that begins no triplet is encoded, so that decoding cannot make new triplets.
    """
    found = match.group()
    if found[0] != "%":
        return _encoded(found)
    if len(found) == 1:
        return "%25"
    char = chr(int(found[1:], 16))
    return char if _UNRESERVED.fullmatch(char) else found.upper()


def _encoded(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "replace"))
