"""What only the chapters, their tests and the book's build use. It is never installed.

The editable install of `make` and of `environment.yml` puts the repository's folder on Python's path, so that
chapters can import this wherever they run.
"""
