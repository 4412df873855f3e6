"""Mechanisms written to files and read again."""
