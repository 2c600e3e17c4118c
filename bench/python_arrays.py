#!/usr/bin/env python3
"""How many times a second the Python module corrects and bounds.

PYTHONPATH=build/release/python bench/python_arrays.py [MESSAGES]
"""

import sys
import time

import numpy as np

import syncline

EPOCH = 1_795_263_390_000_000_000


def exchanges(count):
    """Two clocks that exchange messages for 100 s, one of them a second ahead and its rate swinging by 100 ppm."""
    random = np.random.default_rng(1)
    sent = EPOCH + np.sort(random.integers(0, 10**11, count))
    received = sent + random.integers(100_000, 300_000, count)
    from_a = np.arange(count) % 2 == 0

    def b_shows(true):
        return true + 10**9 + np.rint(1e6 * np.sin((true - EPOCH) / 1e10)).astype(np.int64)

    return np.column_stack(
        [
            np.where(from_a, 0, 1),
            np.where(from_a, sent, b_shows(sent)),
            np.where(from_a, 1, 0),
            np.where(from_a, b_shows(received), received),
        ]
    )


def best_rate(function, count):
    """Of five runs, in millions a second."""
    spent = []
    for _ in range(5):
        begin = time.perf_counter()
        function()
        spent.append(time.perf_counter() - begin)
    return count / min(spent) / 1e6


def main():
    messages = exchanges(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
    begin = time.perf_counter()
    clock = syncline.estimate(["a", "b"], messages, reference="a").clocks["b"]
    print(f"estimate of {len(messages)} messages: {time.perf_counter() - begin:.2f} s")
    print(f"the correction has {len(clock.knots())} knots")
    ordered = EPOCH + 10**9 + np.arange(10_000_000) * 10_000
    shuffled = np.random.default_rng(2).permutation(ordered)
    for name, readings in (("in order", ordered), ("in any order", shuffled)):
        corrected = best_rate(lambda: clock.correct(readings), len(readings))
        bounded = best_rate(lambda: clock.bounds(readings), len(readings))
        print(f"readings {name}: {corrected:.0f} million a second corrected, {bounded:.1f} bounded")


if __name__ == "__main__":
    main()
