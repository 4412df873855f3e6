"""What grades: right answers, hidden cases, the judge. For whoever teaches; students never install it.

`sheet` makes what students get, `grading` turns a sheet into a grader.
"""

from orr_grading.grading import grading
from orr_grading.sheets import sheet

__all__ = ["grading", "sheet"]
