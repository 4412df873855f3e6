"""Kernels of the sources of assignments import what grades, with a secret; nobody else does."""

import os
from unittest import mock

import pytest

from tools.execute import grading


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup():
    """Start the kernel, which nbval does with the first cell, in an environment for grading."""
    with mock.patch.dict(os.environ, grading()):
        return (yield)
