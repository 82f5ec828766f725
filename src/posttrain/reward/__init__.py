"""Layered rewards: pure functions of verdicts."""
