"""A first program: NumPy's names, on the best device of this machine.

    python examples/first.py

Operations are recorded and run together when a result is needed: here, one kernel for the whole of the
expression, the random numbers included.
"""

import clary as np

rng = np.random.default_rng(7)
x = rng.random((1000, 1000), dtype=np.float32)
y = rng.random((1000, 1000), dtype=np.float32)

inside = x * x + y * y < 1
print("device:", x.device)
print("pi is about", 4 * float(np.mean(inside)))

# Views alias, as in NumPy.
table = np.arange(12).reshape(3, 4)
table[:, 1:3] *= 10
print(table)
