"""What the page for an ethics board says, section by section (chapter release)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from orr_release.caveats import questions, trust, unprotected
from orr_release.domain import Domain
from orr_release.expected import chosen, people, tally
from orr_release.odds import HUGE, SUSPICION, belief, believed, chance, odds, rounded_down, rounded_up
from orr_release.page import Block, Grid
from orr_release.plan import Plan

ROWS = 24  # attributes in a table: half a page
WIDTH = 40  # letters of the labels of an attribute
TIMES = (1, 2, 10)  # releases of the same record


@dataclass(frozen=True)
class Facts:
    """What the page is about: names, levels, and what else is known of a mechanism."""

    names: Sequence[str]
    sizes: Sequence[int]
    domain: Domain | None
    flips: Sequence[float]
    levels: Sequence[float]
    neighbours: Sequence[float]
    overall: float
    asked: int | None
    lower: float | None
    slack: float | None
    plan: Plan | None

    @property
    def readers(self) -> list[tuple[str, str, float]]:
        """Who reads, of which answer they can learn most, and the level that bounds it."""
        one, other = (max(range(len(x)), key=lambda i: x[i]) for x in (self.levels, self.neighbours))
        return [
            ("someone who sees one released answer", self.names[one], self.levels[one]),
            ("someone who knows all other answers", self.names[other], self.neighbours[other]),
            ("anyone, about the whole record", "", self.overall),
        ]


def sections(facts: Facts) -> list[tuple[str, list[Block]]]:
    """Write all sections."""
    exact = [("How exact the results will be", _accuracy(facts.plan))] if facts.plan else []
    return [
        ("", _opening(facts)),
        ("What happens to each answer", _answers(facts)),
        ("Who could learn what", _readers(facts)),
        ("Who must be trusted", trust()),
        ("More than one release", _repeated(facts)),
        ("What is not protected", unprotected(facts.domain, facts.sizes, facts.levels)),
        *exact,
        ("Could it be better?", _better(facts)),
        ("Questions to ask", questions()),
    ]


def _opening(facts: Facts) -> list[Block]:
    k = len(facts.names)
    what = "the answer in it" if k == 1 else f"each of its {k} answers"
    return [
        f"Before anything is released, every person's record is randomized: {what} may be replaced by "
        "another one, by chance. What is released looks like a record, and need not be true. This page "
        "says how much it still tells, and to whom. All numbers are computed from the procedure. None "
        "depends on what anybody answered.",
        *_withheld(facts.domain),
    ]


def _withheld(domain: Domain | None) -> list[Block]:
    if domain is None or not domain.withheld:
        return []
    return [f"Not released at all: {', '.join(domain.withheld)}, and whatever is not named on this page."]


def _answers(facts: Facts) -> list[Block]:
    k, blocks = len(facts.names), list[Block]()
    order = sorted(range(k), key=lambda i: -facts.levels[i])[:ROWS] if k > ROWS else list(range(k))
    if facts.asked is not None and facts.asked < k:
        blocks.append(
            f"Each person is asked only {facts.asked} of the {k} questions, drawn by lot without looking at "
            "anybody. The rest of the record stays empty. The chances below are for those who are asked."
        )
    some = f" ({ROWS} of {k:,}, those with the highest levels)" if k > ROWS else ""
    rows = [
        (
            facts.names[i],
            _possible(facts, i),
            chance(facts.flips[i]),
            chance(1 - 1 / facts.sizes[i]),
            odds(facts.levels[i]),
            odds(facts.neighbours[i]),
        )
        for i in order
    ]
    heads = (
        "question",
        "possible answers",
        "chance that the released answer is not the true one",
        "chance that a blind guess is not",
        "odds multiplied by at most, if it is seen alone",
        "the same, if all other answers are known",
    )
    return [*blocks, Grid(f"The answers, one by one{some}", heads, rows)]


def _possible(facts: Facts, i: int) -> str:
    """List the labels of an attribute, or count them if they are many."""
    if facts.domain is None:
        return f"{facts.sizes[i]:,}"
    labels = ["no answer" if label is None else str(label) for label in facts.domain.labels[i]]
    words = ", ".join(labels)
    return words if len(words) <= WIDTH else f"{len(labels):,} answers"


def _readers(facts: Facts) -> list[Block]:
    before = f"{100 * SUSPICION:g}%"
    rows = [
        (
            f"{who} (at worst: {worst})" if worst else who,
            rounded_up(level),
            odds(level),
            belief(level, 0.5),
            belief(level, SUSPICION),
        )
        for who, worst, level in facts.readers
    ]
    heads = (
        "reader",
        "level",
        "odds multiplied by at most",
        "50% becomes at most",
        f"{before} becomes at most",
    )
    return [
        "Protection is measured by odds. Whoever holds two answers to be equally likely has odds of 1 to "
        "1. If a release multiplies odds by 3 at most, they become 3 to 1 at most, which is a belief of "
        "75%. The level is the logarithm of that factor. These are worst cases, for every person and every "
        "answer.",
        Grid("Three readers, and what one release can do to their beliefs", heads, rows),
        "The first reader sees one released answer and nothing else. The second sees the whole released "
        "record and knows the truth of all answers but one. The third bound is the only one that holds "
        "against everybody. It covers those who want the whole record, and those who know how answers go "
        "together in the population, and so learn about one from all.",
        *_honest([level for _, _, level in facts.readers]),
    ]


def _honest(levels: Sequence[float]) -> list[Block]:
    """Say in words where levels are so high that they promise little."""
    before = f"a suspicion of {100 * SUSPICION:g}%"
    weak, void = (
        [word for word, level in zip(("first", "second", "third"), levels, strict=True) if too_high(level)]
        for too_high in (lambda x: believed(x, SUSPICION) > 0.5, lambda x: x > math.log(HUGE))
    )
    if not weak:
        return [f"For none of these readers can {before} become more likely than not by one release."]
    blocks: list[Block] = [
        f"Against the {_and(weak)} reader the promise is weak: {before} can become more likely than not."
    ]
    if void:
        blocks.append(
            f"Against the {_and(void)} reader the number by itself promises next to nothing: as far as it "
            "goes, what had one chance in a million can become more likely than not."
        )
    return blocks


def _and(words: Sequence[str]) -> str:
    """Join words, the first of which has its article before it."""
    return words[0] if len(words) == 1 else f"{', the '.join(words[:-1])} and the {words[-1]}"


def _repeated(facts: Facts) -> list[Block]:
    rows = [
        (who, *(f"{odds(times * level)} ({belief(times * level, 0.5)})" for times in TIMES))
        for who, _, level in facts.readers
    ]
    heads = "reader", *(f"{times} release{'s' * (times > 1)}" for times in TIMES)
    return [
        "Every further release of the same record with fresh chance adds the same level again: two releases "
        "double all levels, ten multiply them by ten. Odds grow by the same factor each time, and the noise "
        "averages out.",
        Grid("Odds multiplied by at most (and what a belief of 50% becomes at most)", heads, rows),
        "The remedy is to randomize each record once, keep the released copy, and give out that same copy "
        "again.",
    ]


def _accuracy(planned: Plan) -> list[Block]:
    shown, notes = chosen(planned.one_way)
    rows = [
        (name, cells, share, error, verdict)
        for name, cells, _, error, share, verdict in (row.shown for row in shown)
    ]
    blocks: list[Block] = [
        f"From the release, shares among the {people(planned.n)} are estimated without bias. The standard "
        "error is how far an estimated share is typically off because of the randomization; twice as far "
        "is rare. A table is called good if that is at most a tenth of the average share, and useless if "
        "it is more than half.",
        Grid(
            "Single answers",
            ("question", "possible answers", "average share", "standard error", "verdict"),
            rows,
        ),
        *notes,
    ]
    if planned.two_way:
        blocks.append(f"Tables of two answers, {len(planned.two_way):,} in all: {tally(planned.two_way)}.")
    return [*blocks, *planned.warnings]


def _better(facts: Facts) -> list[Block]:
    blocks: list[Block] = []
    apart = math.fsum(facts.levels)
    if facts.asked is None and len(facts.names) > 1:
        if facts.overall < apart * (1 - 1e-6):
            blocks.append(
                "With the same chances of a false answer, but each answer randomized by itself, the overall "
                f"level would be {rounded_down(apart, 3)}. Here it is {rounded_up(facts.overall)}."
            )
        else:
            blocks.append(
                "Each answer is randomized by itself, and the overall level is the sum of the levels."
            )
    if facts.lower is not None:
        capped = facts.slack is not None and facts.slack < math.inf
        most = f"{100 * (facts.slack or 0):g}%"
        limit = f", and a second reader at most {most} above the first," if capped else ""
        blocks.append(
            f"It is proved that no procedure with the same chances of a false answer{limit} has an "
            f"overall level below {rounded_down(facts.lower)}. A second program can check the proof."
        )
    return blocks or ["The program has no proof of how close to the best possible this is."]
