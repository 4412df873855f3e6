"""Checks for the assignments: one module an assignment, each check says what is wrong.

A check takes a student's answer and the numbers to try it with. It prints a line if the answer is
right and raises `NotYet` with a hint if it is not. The assignments in ``classroom/assignments`` call the same
checks twice: where the student sees it, with the numbers of their class, and in hidden tests, with
others.
"""

from orr_classroom.feedback import NotYet, call, expect, show

__all__ = ["NotYet", "call", "expect", "show"]
