"""The figures and tables of the book."""

from book.figures.tables import Table

__all__ = ["Table"]
