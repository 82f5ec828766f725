"""Intervals, paired tests and estimators; no scipy, no global random state."""
