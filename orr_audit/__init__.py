"""Exact verification of certificates, and their export for Coq; needs numpy and scipy only."""

from orr_audit.audit import Verification, audit
from orr_audit.coq import for_coq

__all__ = ["Verification", "audit", "for_coq"]
