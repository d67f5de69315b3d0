"""Text of arrays against NumPy's, character for character."""
import numpy as np
import pytest
from support import counted

import clary


def _arrays():
    g = np.random.default_rng(3)
    yield from (np.array(v) for v in (3, 2.5, True, 1j, [], [1, 2], [True, False], [1.5, np.nan, -np.inf], [1e-20, 1e20]))
    yield from (np.zeros((0, 3)), np.zeros((2, 0, 2), np.int8), np.arange(24).reshape(2, 3, 4))
    yield g.standard_normal((3, 4))
    yield g.standard_normal(5).astype(np.float32) + 1j * g.standard_normal(5).astype(np.float32)
    yield from (np.arange(1000), np.arange(1001), np.arange(5000).reshape(50, 100), np.arange(6000.0).reshape(2, 3, 1000))
    yield from (g.standard_normal((1500, 2)), g.standard_normal((7, 300)).astype(np.float16), np.zeros((1001, 1), bool))
    yield np.arange(2.0**14).reshape((2,) * 14)
    yield g.integers(0, 200, (3000,), dtype=np.uint8)


def test_text_is_numpys(tier):
    for a in _arrays():
        x = clary.asarray(a)
        assert str(x) == str(a)
        assert repr(x) == repr(a)
        assert np.array2string(x, precision=2, separator=",") == np.array2string(a, precision=2, separator=",")
        assert np.array_repr(x, 40) == np.array_repr(a, 40)
        assert np.array_str(x, 40, 3, True) == np.array_str(a, 40, 3, True)
        with clary.printoptions(threshold=5, edgeitems=2, linewidth=60, precision=3):
            assert repr(x) == repr(a) and str(x) == str(a)
    view = clary.arange(4000).reshape(40, 100).T[::-1]
    assert repr(view) == repr(np.arange(4000).reshape(40, 100).T[::-1])


def test_options(tier):
    x = clary.arange(3.0) / 3
    before = clary.get_printoptions()
    clary.set_printoptions(precision=2)
    try:
        assert str(x) == "[0.   0.33 0.67]"
    finally:
        clary.set_printoptions(**before)
    assert f"{x[1]:.3f}" == "0.333" and f"{x}" == str(x)
    assert clary.format_float_positional(x[1], precision=3) == "0.333"
    assert clary.format_float_scientific(clary.float32(1e9)) == "1.e+09"
    assert clary.array2string([1, 2]) == clary.array_str([1, 2]) == "[1 2]" and clary.array_repr([1]) == "array([1])"
    half = clary.arange(3, dtype=clary.bfloat16)
    assert repr(half) == "array([0., 1., 2.], dtype=bfloat16)" and str(half) == "[0. 1. 2.]"
    with pytest.raises(TypeError):
        format(x, ".3f") + 1


def test_summaries_bring_the_corners_only(tier):
    x = clary.arange(10**6).reshape(1000, 1000) + 0
    clary.eval(x)
    clary.reset_counters()
    repr(x)
    assert clary.counters().bytes_down < 1000
    assert counted(lambda: x.sum())[0] == sum(range(10**6))
