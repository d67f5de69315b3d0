"""Random programs of views, element-wise work, indexing by arrays, sorts and scans: lazily recorded, computed
step by step, and NumPy give the same integers, whatever aliases what."""
import numpy as np
from support import rng

import clary

N = 24


def _step(g, arrays):
    """One random statement: a function of (namespace, arrays), which may write to them, and its text."""
    i, j = (int(k) for k in g.integers(0, len(arrays), 2))
    lo, hi = sorted(int(k) for k in g.integers(0, N + 1, 2))
    index = g.integers(-4, 4, int(g.integers(1, 6)))
    values = g.integers(-50, 50, len(index))
    cut = int(g.integers(-30, 30))
    order = bool(g.integers(0, 2))

    def at(xp, a, k, v):
        (np.add.at if xp is np else clary.add.at)(a, k, v)

    statements = [
        ("x + y[::-1]", lambda xp, a: a.append(a[i] + a[j][::-1])),
        ("x * 3 - y", lambda xp, a: a.append(a[i] * 3 - a[j])),
        ("x[::-1]", lambda xp, a: a.append(a[i][::-1])),
        ("x[y % n]", lambda xp, a: a.append(a[i][a[j] % N])),
        ("x[[...]] = values", lambda xp, a: a[i].__setitem__(xp.asarray(index), xp.asarray(values))),
        ("x[[...]] += 1", lambda xp, a: at(xp, a[i], xp.asarray(index), 1)),
        ("add.at(x, y % n, y)", lambda xp, a: at(xp, a[i], a[j] % N, a[j] % 7)),
        ("x[x > cut] = y[x > cut]", lambda xp, a: a[i].__setitem__(a[i] > cut, a[j][a[i] > cut])),
        ("x[y > cut] = cut", lambda xp, a: a[i].__setitem__(a[j] > cut, cut)),
        ("x[y % n] = x", lambda xp, a: a[i].__setitem__(a[j] % N, a[i] + 0)),
        ("x[lo:hi] += y[lo:hi]", lambda xp, a: a[i][lo:hi].__iadd__(a[j][lo:hi])),
        ("x[lo:] = x[: n - lo]", lambda xp, a: a[i].__setitem__(slice(lo, None), a[i][: N - lo])),
        ("sort(x)", lambda xp, a: a.append(xp.sort(a[i]))),
        ("argsort(x)", lambda xp, a: a.append(xp.argsort(a[i], kind="stable"))),
        ("x[argsort(y)]", lambda xp, a: a.append(a[i][xp.argsort(a[j], kind="stable")])),
        ("cumsum(x)[y % n]", lambda xp, a: a.append(xp.cumsum(a[i])[a[j] % N])),
        ("searchsorted(sort(x), y)", lambda xp, a: a.append(
            xp.searchsorted(xp.sort(a[i]), a[j], side="right" if order else "left"))),
        ("take_along_axis", lambda xp, a: a.append(
            xp.take_along_axis(a[i].reshape(4, -1), (a[j] % 6).reshape(4, -1), axis=1).reshape(-1))),
        ("x[nonzero(y > cut)].sum()", lambda xp, a: a.append(a[i] + a[i][xp.nonzero(a[j] > cut)[0]].sum())),
        ("x.reshape(4, 6)[i, :] = ...", lambda xp, a: a[i].reshape(4, 6).__setitem__(
            (xp.asarray(index), slice(1, 3)), xp.asarray(values[:, None]))),
    ]
    return statements[int(g.integers(0, len(statements)))]


def _run(seed, steps, compute):
    g = rng("program", seed)
    host = [g.integers(-40, 40, N) for _ in range(3)]
    device = [clary.asarray(h) for h in host]
    texts = []
    for _ in range(steps):
        text, statement = _step(g, host)
        texts.append(text)
        statement(np, host)
        statement(clary, device)
        host[:] = [h % 1000 if h.base is None else h for h in host[-6:]]
        device[:] = [d % 1000 if h.base is None else d for h, d in zip(host, device[-6:])]
        if compute:
            clary.eval(*device)
    for h, d in zip(host, device):
        got = clary.asnumpy(d)
        assert (got == h).all(), f"seed {seed}, computed {compute}: {texts}\n{got}\n{h}"


def test_programs(tier):
    few = tier.compiled or tier.selector not in ("reference", "pocl")  # where nearly every program builds kernels
    for seed in range(6 if few else 400):
        for compute in (False, True):
            _run(seed, 4 if few else 12, compute)
