"""Right answers by any route are accepted, wrong ones are refused with their hint, in class and behind it."""

import importlib
import inspect
import pkgutil

import pytest

import orr_classroom.tools
from orr_classroom import NotYet, Sheet
from orr_grading.sheets import module
from tests.classroom.common import COSTLY, SOURCES, answered, answers, cells, listed, opened, points, seen

SEEDS = (1, 20, 300)
every_assignment = pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)


def parametrized(kind):
    """Try all answers; those to the last assignment with the second and third seed by ``make slow``."""
    found = [
        pytest.param(
            *answer,
            id=f"{answer[0][:2]}-{answer[1]}-{answer[2]}",
            marks=[pytest.mark.slow] if answer[0] == COSTLY and seed_of(answer[2]) != SEEDS[0] else [],
        )
        for answer in answers(kind)
    ]
    return pytest.mark.parametrize(("stem", "task", "number", "entry"), found)


def seed_of(number):
    """Return a seed, another one for each answer, so that three seeds are tried at the price of one."""
    return SEEDS[number % len(SEEDS)]


@parametrized("right")
def test_a_right_answer_gets_all_points(stem, task, number, entry):
    seed = seed_of(number)
    answer = answered(stem, task, entry["answer"], seed)
    assert seen(stem, task, answer, seed) == ""
    assert points(stem, task, answer, seed) == 1


@parametrized("wrong")
def test_a_wrong_answer_gets_its_hint_and_not_all_points(stem, task, number, entry):
    seed = seed_of(number)
    answer = answered(stem, task, entry["answer"], seed)
    said = seen(stem, task, answer, seed)
    if entry.get("hidden"):
        assert "Right for your numbers" in said or not said
    else:
        assert entry["hint"] in said
    share = points(stem, task, answer, seed)
    assert share < 1
    assert entry.get("partial") or share == 0


def test_four_in_five_wrong_answers_that_nobody_listed_get_a_hint_of_their_own():
    found = {True: [], False: []}
    accepted = []
    for stem, task, number, entry in answers("blind"):
        seed = seed_of(number) if stem != COSTLY else SEEDS[0]
        answer = answered(stem, task, entry["answer"], seed)
        verdicts = [verdict for _, verdict in opened(stem, seed).verdicts(task, answer) if not verdict]
        if not verdicts and points(stem, task, answer, seed) == 1:
            accepted.append((stem, task, number))
        elif verdicts:
            found[verdicts[0].specific].append((stem, task, number))
        else:
            found[False].append((stem, task, number))  # only hidden cases see it, and nobody reads their hint
    assert not accepted
    count = len(found[True]) + len(found[False])
    assert count >= 100
    assert len(found[True]) >= 0.8 * count, found[False]


@every_assignment
def test_every_task_has_right_and_wrong_answers_and_words_for_both(path):
    graded = [cell for cell in cells(path) if cell.id.startswith("check-")]
    tasks = [cell.id.removeprefix("check-") for cell in graded]
    assert list(listed("wrong", path.stem)) == tasks
    assert set(listed("right", path.stem)) == set(tasks)
    assert all(len(entries) >= 3 for entries in listed("wrong", path.stem).values())
    assert all(len(entries) >= 3 for entries in listed("right", path.stem).values())
    specs = module(path.stem).TASKS
    assert list(specs) == tasks
    for cell, (name, task) in zip(graded, specs.items(), strict=True):
        assert cell.metadata.nbgrader.points == task.points
        assert task.points % task.worth == 0
        assert task.meaning or opened(path.stem, 1).cases(name)[0].data["meaning"]
        assert task.more


@every_assignment
def test_nothing_that_students_install_answers_a_task(path):
    """No function of the students' package, called as an answer, is right (but one that task 4/7 lends)."""
    functions = []
    for found in pkgutil.iter_modules(orr_classroom.__path__):
        room = importlib.import_module(f"orr_classroom.{found.name}")
        functions += [each for _, each in inspect.getmembers(room, inspect.isfunction)]
    functions = set(functions) - {orr_classroom.tools.bound}  # a call into orr, which the scan reports
    assert len(functions) > 50
    for task in listed("right", path.stem):
        case = opened(path.stem, 1).cases(task)[0]
        calls = case.module.calls(case.data)
        if calls is None:
            continue
        for function in functions:
            if len(inspect.signature(function).parameters) >= len(calls[0][0]):
                assert not case.judge(case.outcomes(function, task)), (
                    f"{function.__module__}.{function.__name__}"
                )


def test_more_is_said_on_demand(capsys):
    check = Sheet(opened("01-noisy-answers", 1).text)
    check.more()
    assert "Run a check first" in capsys.readouterr().out
    with pytest.raises(NotYet, match=r"\(check\.more\(\) says more\.\)"):
        check("level", lambda a, q: 0.5)
    check.more()
    assert "P(truth)" in capsys.readouterr().out


def test_after_right_comes_a_sentence_of_meaning(capsys):
    opened("01-noisy-answers", 1)("level", answered("01-noisy-answers", "level", RIGHT_LEVEL, 1))
    assert "can say what it promises" in capsys.readouterr().out


RIGHT_LEVEL = "level = lambda a, q: np.log((1 - q) * (a - 1) / q)"


def test_an_error_shows_the_students_line_and_nothing_of_the_checks():
    source = "def level(a, q):\n    ratio = (1 - q) / Q\n    return exp(ratio)"
    said = seen("01-noisy-answers", "level", answered("01-noisy-answers", "level", source, 1), 1)
    assert "stops in line 2" in said
    assert "NameError" in said
    assert "np.log" not in said
    source = "def level(a, q):\n    return exp(1 - q)"
    said = seen("01-noisy-answers", "level", answered("01-noisy-answers", "level", source, 1), 1)
    assert "Did you mean np.exp?" in said
