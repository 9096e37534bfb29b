"""Words a query uses beside its subject, and words that tools use for one another's actions and things."""

from collections.abc import Mapping, Sequence
from typing import Final

from connecta.catalog.tokens import stem

_STOPS: Final = """
    a about all also am an and any are aren as at be been but by can could couldn d did didn do does doesn don each
    every everything for from give given had hadn has hasn have haven help how i if in into is isn it its just let ll m
    may me might my need of on one only or our over please s should shouldn so some t tell
    than that the their them then there these they this those to tool tools ve via want was wasn we were weren what
    when where which who whose why will with would wouldn yet you your
"""

STOP_WORDS: Final = frozenset(_STOPS.split())
"""Not searched for, unless a query has nothing else."""

_GROUPS: Final = """
    create add new make insert register define
    create start open begin
    delete remove drop erase destroy discard clear purge strip
    update edit modify change alter revise patch rewrite
    change diff difference
    compare diff difference
    read get view show display retrieve fetch load
    read open
    get describe info detail metadata
    list enumerate browse
    search find lookup locate query match
    write save store persist overwrite
    memory remember
    record entry row
    send post publish deliver
    reply respond answer comment
    move rename relocate transfer
    copy duplicate clone
    run execute invoke launch
    stop cancel abort halt terminate
    append attach add
    revert undo reset restore rollback
    switch checkout
    download fetch
    upload attach
    convert translate transform
    print dump
    allow permit
    history log past
    folder directory
    file document
    document doc page
    image picture photo
    repository repo
    database db sql
    message msg
    email mail
    user member account person people
    team group
    issue ticket bug
    link relation relationship connection connect edge
    node entity vertex
    url link web website page internet
    configuration config setting option preference
    authentication auth login signin
    calendar schedule agenda
    event meeting appointment
    column schema field
    size large big length
    nested recursive tree
    current now
    task todo
    price cost
    invoice bill
    customer client
    label tag
    environment env
    log trace
    note memo
    comment remark
"""


def _synonyms() -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for line in _GROUPS.strip().splitlines():
        group = [stem(word) for word in line.split()]
        for word in group:
            found.setdefault(word, {}).update(dict.fromkeys(group))
    return {word: tuple(other for other in others if other != word) for word, others in found.items()}


SYNONYMS: Final[Mapping[str, Sequence[str]]] = _synonyms()
"""Stem to the stems that may stand for it. They count for less than the word itself."""
