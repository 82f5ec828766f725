"""A program that must not be loaded where candidates run."""

import unittest


def main(payload, fds):
    print(unittest.__name__)
