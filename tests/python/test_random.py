"""clary.random: the same bits on every device, the distributions' shapes, the edges of their ranges."""
import json
import pickle

import numpy as np
import pytest
from scipy import stats

import clary
from clary.random import default_rng

N = 20011


def host(a):
    return np.asarray(a)


DRAWS = {
    "random": lambda g, n, t: g.random(n, t),
    "standard_normal": lambda g, n, t: g.standard_normal(n, t),
    "standard_exponential": lambda g, n, t: g.standard_exponential(n, t),
    "laplace": lambda g, n, t: g.laplace(0, 1, n, t),
    "rayleigh": lambda g, n, t: g.rayleigh(1, n, t),
    "standard_cauchy": lambda g, n, t: g.standard_cauchy(n, t),
    "lognormal": lambda g, n, t: g.lognormal(0, 1, n, t),
    "gumbel": lambda g, n, t: g.gumbel(0, 1, n, t),
    "logistic": lambda g, n, t: g.logistic(0, 1, n, t),
    "weibull": lambda g, n, t: g.weibull(1.5, n, t),
    "pareto": lambda g, n, t: g.pareto(3.0, n, t),
    "power": lambda g, n, t: g.power(2.5, n, t),
    "standard_gamma": lambda g, n, t: g.standard_gamma(2.5, n, t),
    "gamma below 1": lambda g, n, t: g.gamma(0.3, 1, n, t),
    "beta": lambda g, n, t: g.beta(0.7, 2, n, t),
    "chisquare": lambda g, n, t: g.chisquare(3, n, t),
    "f": lambda g, n, t: g.f(3, 7, n, t),
    "standard_t": lambda g, n, t: g.standard_t(4, n, t),
}
LAWS = {"random": stats.uniform, "standard_normal": stats.norm, "standard_exponential": stats.expon,
        "laplace": stats.laplace, "rayleigh": stats.rayleigh, "standard_cauchy": stats.cauchy,
        "lognormal": stats.lognorm(1), "gumbel": stats.gumbel_r, "logistic": stats.logistic,
        "weibull": stats.weibull_min(1.5), "pareto": stats.lomax(3), "power": stats.powerlaw(2.5),
        "standard_gamma": stats.gamma(2.5), "gamma below 1": stats.gamma(0.3), "beta": stats.beta(0.7, 2),
        "chisquare": stats.chi2(3), "f": stats.f(3, 7), "standard_t": stats.t(4)}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", list(DRAWS))
def test_bits_and_law(tier, name, dtype):
    got = host(DRAWS[name](default_rng(5), N, dtype))
    assert got.dtype == dtype and np.isfinite(got).all()
    with clary.device("reference"):
        assert got.tobytes() == host(DRAWS[name](default_rng(5), N, dtype)).tobytes()
    assert stats.kstest(got.astype(float), LAWS[name].cdf).pvalue > 1e-3


# float64 to 1e-14: from the words of the stream by NumPy's functions.
def test_normal_and_exponential_values(tier):
    g = default_rng(3)
    w = host(default_rng(3).bits(4 * 101)).astype(np.uint64)
    u = ((w[::2] >> np.uint64(5)) * 2.0**26 + (w[1::2] >> np.uint64(6))) / 2.0**53
    normal = np.sqrt(-2 * np.log1p(-u[:101])) * np.cos(2 * np.pi * u[101:])
    np.testing.assert_allclose(host(g.standard_normal(101)), normal, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(host(default_rng(3).standard_exponential(202)), -np.log1p(-u), rtol=2e-15)
    np.testing.assert_allclose(host(default_rng(3).standard_exponential(202, np.float32)),
                               -np.log1p((w[:202] >> np.uint64(8)) / -(2.0**24)), rtol=5e-7)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_integers(tier, dtype):
    least, most = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    got = host(default_rng(1).integers(least, most, N, dtype, endpoint=True))
    assert got.dtype == dtype
    part = np.floor((got.astype(float) - least) / (float(most) - least + 1) * 2).clip(0, 1)
    assert stats.chisquare(np.bincount(part.astype(int), minlength=2)).pvalue > 1e-3
    if dtype != "bool":
        got = host(default_rng(1).integers(most - 6, most, N, dtype))
        assert stats.chisquare(np.bincount((got - dtype_of(dtype)(most - 6)).astype(int))).pvalue > 1e-3
        assert got.min() == most - 6 and got.max() == most - 1
    with pytest.raises(ValueError):
        default_rng(1).integers(0, 2**65, 3, dtype)


def dtype_of(name):
    return np.dtype(name).type


def test_integers_reject_the_biased_products(tier):
    """Of 3 * 2^62 values every third of the range is as likely; without rejection one were twice as likely."""
    got = host(default_rng(2).integers(0, 3 << 62, N, np.uint64))
    assert stats.chisquare(np.bincount((got >> np.uint64(62)).astype(int), minlength=3)).pvalue > 1e-3
    assert stats.chisquare(np.bincount((got % np.uint64(3)).astype(int), minlength=3)).pvalue > 1e-3
    with clary.device("reference"):
        assert got.tobytes() == host(default_rng(2).integers(0, 3 << 62, N, np.uint64)).tobytes()


def test_choice_and_permutations(tier):
    g = default_rng(8)
    assert sorted(host(g.permutation(257)).tolist()) == list(range(257))
    x = np.arange(31 * 5).reshape(31, 5)
    rows = host(g.permutation(clary.asarray(x)))
    assert (rows != x).any() and (np.sort(rows, 0) == x).all() and (rows[:, 1:] - rows[:, :1] == np.arange(1, 5)).all()
    lines = host(g.permuted(clary.asarray(x), axis=1))
    assert (np.sort(lines, 1) == x).all() and (lines != x).any()
    a = clary.asarray(x.copy())
    g.shuffle(a[::-1])
    assert (np.sort(host(a), 0) == x).all() and (host(a) != x).any()
    p = [0.5, 0, 0.3, 0.2]
    counts = np.bincount(host(g.choice(4, N, p=p)), minlength=4)
    assert counts[1] == 0 and stats.chisquare(counts[[0, 2, 3]], N * np.array([0.5, 0.3, 0.2])).pvalue > 1e-3
    assert sorted(host(g.choice(4, 3, replace=False, p=p)).tolist()) == [0, 2, 3]
    assert len(set(host(g.choice(100, 50, replace=False)).tolist())) == 50
    assert g.choice(clary.arange(7.0), (2, 3)).shape == (2, 3)
    for bad in [dict(a=3, size=4, replace=False), dict(a=2, p=[0.5, 0.6]), dict(a=2, p=[1.0])]:
        with pytest.raises(ValueError):
            g.choice(**bad)


def test_states():
    g = default_rng(11)
    g.normal(size=3)
    state = json.loads(json.dumps(g.state))
    copy = pickle.loads(pickle.dumps(g))
    want = g.bytes(13)
    assert len(want) == 13 and copy.bytes(13) == want
    g.state = state
    assert g.bytes(13) == want
    one, two = default_rng(11).spawn(2)
    assert one.bytes(8) != two.bytes(8)
    assert host(g.uniform(clary.zeros((2, 1)), clary.ones(3))).shape == (2, 3)
    with pytest.raises(ValueError):
        g.normal(0, -1)
    for size in (0, (3, 0), 1, 31, 33):
        assert g.standard_normal(size).shape == (size if isinstance(size, tuple) else (size,))


def test_recorded_values(tier):
    """A seed means these numbers, in every version."""
    g = default_rng(1)
    assert host(g.standard_normal(3)).view("u8").tolist() == [
        4602080245976626252, 13832121445671807112, 13823765056342284827]
    assert host(g.standard_normal(3, "f")).view("u4").tolist() == [1049956523, 3218552555, 3215359381]
    assert host(g.standard_exponential(3)).view("u8").tolist() == [
        4601673605723378336, 4602272036362531064, 4605180021526242086]
    assert host(g.integers(0, 1000003, 3)).tolist() == [279851, 82275, 970357]
    assert host(g.random(2)).view("u8").tolist() == [4593545723427420152, 4605417053670338794]


def test_log_and_exp(tier):
    x = np.concatenate([np.linspace(1e-300, 2, 501), [1e-310, 1e300, 0, np.inf, np.nan]])
    log, exp = (clary._ufunc.by_name[f"random_{n}_of"] for n in ("log", "exp"))
    with np.errstate(divide="ignore", over="ignore"):
        np.testing.assert_allclose(host(log(clary.asarray(x))), np.log(x), rtol=1e-15)
        y = np.concatenate([np.linspace(-700, 709, 501), [-800, 800, np.inf, -np.inf, np.nan]])
        np.testing.assert_allclose(host(exp(clary.asarray(y))), np.exp(y), rtol=1e-15)


def test_dirichlet(tier):
    got = host(default_rng(4).dirichlet([1, 2, 3], 2003))
    assert got.shape == (2003, 3)
    np.testing.assert_allclose(got.sum(1), 1, rtol=1e-14)
    assert stats.kstest(got[:, 1], stats.beta(2, 4).cdf).pvalue > 1e-3
