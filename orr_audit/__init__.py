"""Certificates checked to the last digit, or exported for Coq."""

from orr_audit.audit import Verification, audit
from orr_audit.coq import for_coq

__all__ = ["Verification", "audit", "for_coq"]
