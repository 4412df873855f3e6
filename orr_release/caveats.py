"""What no level covers, for an ethics board: trust, surroundings, questions to ask (chapter release)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from orr_release.domain import Domain
from orr_release.odds import rounded_up
from orr_release.page import Block, Items


def trust() -> list[Block]:
    """Say who sees the truth, and what else could be done."""
    return [
        "Whoever runs the randomization sees the true answers; it hides nothing from them. On people's "
        "own devices that is each person, and nobody else has to be trusted. Where an institution holds "
        "the records, the release protects people from everyone but that institution, its backups and its "
        "logs. In both cases the machine, its random numbers and the program must be trusted.",
        "An institution that already holds the records, and only wants to publish tables, should first "
        "consider the central model. There noise is added to each table instead of each record, and far "
        "less of it gives the same protection. Randomized records are for those who must hand out "
        "records, or who do not want to hold the truth at all.",
    ]


def unprotected(domain: Domain | None, sizes: Sequence[int], levels: Sequence[float]) -> list[Block]:
    """List what the levels do not cover."""
    fake = max(1 + a / math.expm1(min(e, 700.0)) for a, e in zip(sizes, levels, strict=True))
    return [
        Items(
            [
                ("Order and number of rows", "are released as they are. Sort the released rows."),
                (
                    "What stands beside the rows,",
                    "such as an index or columns added later, is not randomized.",
                ),
                *_columns(domain),
                ("Taking part.", "That a person is among the rows is not hidden, nor who was left out."),
                (
                    "Other releases.",
                    "Levels add up over all that is released about a person, whoever releases it.",
                ),
                (
                    "Relatives and households.",
                    "What people share is released with each of them, and levels add up. One person's genome "
                    "tells about relatives who never took part.",
                ),
                (
                    "Choices made by looking.",
                    "Questions, possible answers and levels must be fixed before anyone looks at the "
                    "records.",
                ),
                (
                    "Filtered rows.",
                    "Rows with a certain released answer are not the people who truly gave it. What is "
                    "counted among them is wrong, unless it is estimated for the whole group.",
                ),
                (
                    "Made-up answers.",
                    f"One false report can move an estimated count like {rounded_up(fake)} true ones.",
                ),
            ]
        )
    ]


def _columns(domain: Domain | None) -> list[tuple[str, str]]:
    """Speak of public columns and of missing answers."""
    if domain is None:
        return []
    found = []
    if domain.public:
        found.append(
            (
                "Public columns:",
                f"{', '.join(domain.public)}. They are released as they are, and whoever knows them of a "
                "person may find the row.",
            )
        )
    refused = [name for name, value in zip(domain.names, domain.missing, strict=True) if not value]
    if refused:
        all_of = len(refused) == len(domain.names) > 1
        which = "any of the questions" if all_of else ", ".join(refused)
        found.append(
            (
                "Missing answers.",
                f"Records without an answer to {which} are refused. Leaving them out tells who answered.",
            )
        )
    return found


def questions() -> list[Block]:
    """List what to ask those who want to make the release."""
    return [
        Items(
            [
                ("Once?", "Is this the first release of these records, and is the released copy kept?"),
                ("What else", "is released about the same people, and what do all levels add up to?"),
                ("Who holds the truth,", "for how long, and do those concerned know it?"),
                ("Fixed beforehand?", "Were questions, answers and levels chosen before anyone looked?"),
                ("Families?", "Are people related, or in it twice, and were the levels divided accordingly?"),
                ("Enough?", "Are there enough people for the tables that are wanted?"),
            ]
        )
    ]
