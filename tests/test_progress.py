"""Progress is logged, and shown on standard error when it is asked for, by the call that was asked alone."""

import io
import logging

import pytest

import orr
from orr.progress import Clock

PROBLEM = [2, 2, 2, 3], [0.3, 0.31, 0.32, 0.1]


def test_progress_is_logged_whether_or_not_it_is_shown(caplog, capsys):
    with caplog.at_level(logging.INFO, logger="orr"):
        orr.optimal(*PROBLEM)
    assert {record.name for record in caplog.records} == {"orr"}
    assert all(" s  " in message and " to " in message for message in caplog.messages)
    assert capsys.readouterr() == ("", "")


def test_a_call_shows_no_steps_of_the_calls_that_it_makes(capsys):
    orr.allocate(1.0, PROBLEM[0], progress=True)
    lines = capsys.readouterr().err.splitlines()
    assert lines
    assert all("levels up to" in line for line in lines)


def test_every_step_is_shown_once(caplog, capsys):
    with caplog.at_level(logging.INFO, logger="orr"):
        orr.kronecker(*PROBLEM)
        orr.optimal(*PROBLEM, progress=True)
    assert capsys.readouterr().err.splitlines() == caplog.messages


def test_the_logger_is_left_as_it_was(capsys):
    logger, clock = logging.getLogger("orr"), Clock(None, progress=True)
    clock.log("%d of %d", 1, 2)
    assert capsys.readouterr().err.endswith(" s  1 of 2\n")
    assert logger.handlers == []
    assert logger.level == logging.NOTSET
    assert logger.propagate


@pytest.mark.parametrize(("level", "times"), [(logging.WARNING, 0), (logging.INFO, 1)])
def test_who_configured_logging_is_shown_what_that_asks_for(monkeypatch, capsys, level, times):
    """A handler of the root logger takes any level: what reaches it is for the levels of loggers to say."""
    root, log = logging.getLogger(), io.StringIO()
    monkeypatch.setattr(root, "level", level)
    monkeypatch.setattr(root, "handlers", [logging.StreamHandler(log)])
    logging.getLogger("orr").setLevel(logging.NOTSET)  # forgets what it knew of the root's level
    Clock(None, progress=True).log("step")
    assert capsys.readouterr().err.count("step") == 1
    assert log.getvalue().count("step") == times
