"""Triangles, diagonals, Vandermonde matrices."""
import numpy as np
from support import NUMPY_NAMES
from twins import agree

ARRAYS = {"v": np.arange(1, 6), "f": np.linspace(-2, 3, 7), "m": np.arange(35.0).reshape(5, 7), "s": np.arange(9).reshape(3, 3),
          "t": np.arange(48).reshape(2, 3, 8), "e": np.zeros((0, 3)), "z": np.array(4.0), "w": np.arange(33.0).reshape(11, 3)}


def test_triangles(tier):
    agree(tier, """
        np.tril(m)
        np.tril(m, 1)
        np.tril(m, k=-2)
        np.triu(m, 3)
        np.triu(m, -9)
        np.tril(m, 2**62)
        np.triu(m, -2**62)
        np.triu(m.T[::-1], -1)
        np.tril(m[::2, 1::3], 0)
        np.tril(v)
        np.triu(v, 1)
        np.triu(t)
        np.tril(t[..., ::-1], -1)
        np.tril(e)
        np.triu(m > 7)
        np.triu(m + 1j)
        np.triu(m.astype("float16"), 1)
        np.triu([[1, 2], [3, 4]])
        np.tri(3)
        np.tri(3, 5, 1)
        np.tri(4, 2, -1, dtype=int)
        np.tri(0)
        np.tri(3, M=4, k=9, dtype=bool)
    """, ARRAYS)


def test_diagonals(tier):
    agree(tier, """
        np.diag(v)
        np.diag(v, 2)
        np.diag(v[::2], k=-3)
        np.diag(m)
        np.diag(m, 3)
        np.diag(m.T, -1)
        np.diag(m, 99)
        np.diag(e)
        np.diag(e[:, 0])
        np.diag(t)
        np.diag(z)
        np.diag([True, False])
        np.diagflat(s)
        np.diagflat(s, -1)
        np.diagflat(z, 1)
        np.diagflat([[1, 2], [3, 4]], 1)
        np.diag_indices(4)
        np.diag_indices(3, 3)
        np.diag_indices(0, ndim=1)
        np.diag_indices_from(s)
        np.diag_indices_from(m)
        np.diag_indices_from(v)
        np.fill_diagonal(m, 9); m
        np.fill_diagonal(m.T, 9); m
        np.fill_diagonal(m[:, ::2], -1.5); m
        np.fill_diagonal(w, 9); w
        np.fill_diagonal(w, 9, wrap=True); w
        np.fill_diagonal(w[:8], 9, wrap=True); w
        np.fill_diagonal(w[:4], [1, 2, 3, 4], wrap=True); w
        np.fill_diagonal(w, [1, 2, 3, 4, 5], wrap=True); w
        np.fill_diagonal(s, [7, 8]); s
        np.fill_diagonal(s, v); s
        np.fill_diagonal(s, 2.75); s
        c = np.zeros((3, 3, 3), int); np.fill_diagonal(c, [1, 2, 3]); c
        np.fill_diagonal(t, 1); t
        np.fill_diagonal(v, 1); v
        np.fill_diagonal(e, 1); e
    """, ARRAYS)


def test_indices_of_triangles(tier):
    agree(tier, """
        np.tril_indices(3)
        np.tril_indices(4, 1)
        np.tril_indices(4, -1, 2)
        np.triu_indices(3)
        np.triu_indices(4, k=2, m=7)
        np.triu_indices(0)
        np.tril_indices_from(m)
        np.triu_indices_from(m, 1)
        np.tril_indices_from(v)
        np.mask_indices(3, np.triu)
        np.mask_indices(3, np.tril, 1)
        m[np.triu_indices_from(m, 2)]
        m[np.tril_indices(5)]
    """, ARRAYS, keep=5)


def test_vander(tier):
    agree(tier, """
        np.vander(v)
        np.vander(v, 3)
        np.vander(v, N=4, increasing=True)
        np.vander(f, 6)
        np.vander(f[::-2], 3)
        np.vander(v, 0)
        np.vander(v, 1)
        np.vander(v, 2)
        np.vander([True, False])
        np.vander(v.astype("int8"), 4)
        np.vander(f.astype("float32"), 4)
        np.vander(f + 1j, 3)
        np.vander([])
        np.vander(m)
    """, ARRAYS, rtol=1e-6)


def test_every_dtype(tier):
    for name in tier.sample(NUMPY_NAMES, 5):
        agree(tier, """
            np.tril(a)
            np.triu(a, 1)
            np.diag(a)
            np.diag(a[0])
            np.fill_diagonal(a, 1); a
        """, {"a": np.arange(12).reshape(3, 4).astype(name)}, keep=2)
