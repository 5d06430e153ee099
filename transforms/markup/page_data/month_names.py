"""The names of months in languages other than English, as dates have them."""

from __future__ import annotations

# German, French, Spanish, Portuguese, Italian, Dutch, Swedish or Danish, Polish, Russian,
# Ukrainian, Czech, Turkish, Indonesian: in the order of the year.
_NAMES = (
    "januar jänner janvier enero janeiro gennaio januari januari stycznia января січня ledna ocak",
    "februar février fevrier febrero fevereiro febbraio februari lutego февраля лютого února şubat",
    "märz mars marzo março marco maart marca марта березня března mart maret",
    "april avril abril aprile kwietnia апреля квітня dubna nisan",
    "mai mayo maio maggio mei maj maja мая травня května mayıs",
    "juni juin junio junho giugno czerwca июня червня června haziran",
    "juli juillet julio julho luglio lipca июля липня července temmuz",
    "august août aout agosto augustus augusti sierpnia августа серпня srpna ağustos agustus",
    "september septembre septiembre setiembre setembro settembre września сентября вересня"
    " září eylül",
    "oktober octobre octubre outubro ottobre października октября жовтня října ekim",
    "november novembre noviembre novembro listopada ноября листопада kasım nopember",
    "dezember décembre decembre diciembre dezembro dicembre december grudnia декабря грудня"
    " prosince aralık desember",
)
MONTH_NUMBERS = {name: n for n, names in enumerate(_NAMES, 1) for name in names.split()}
