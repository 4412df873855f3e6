"""What assignments import: sheets with numbers, checks that say what is wrong, tools, practice.

A check takes a student's answer, tries it with the cases of a sheet, and prints a line if it is right or
raises `NotYet` with a hint. Sheets hold numbers, not formulas: what makes them stays with whoever teaches.
"""

from orr_classroom.feedback import NotYet
from orr_classroom.sheet import Sheet

__all__ = ["NotYet", "Sheet"]
