"""What the public test suites found: limits and facts of dtypes, the inspection functions, corner cases."""
import pathlib
import runpy
import warnings

import numpy as np
import pytest

import clary

# ---- limits of dtypes ----


def test_limits_of_scalar_classes():
    """NumPy's scalar classes have a `dtype` attribute, which is no dtype."""
    for scalar in (np.float16, np.float32, np.float64, np.complex64, np.complex128):
        for given in (scalar, np.dtype(scalar), np.dtype(scalar).name, clary.ones(2, scalar), scalar(1)):
            ours, theirs = clary.finfo(given), np.finfo(scalar)
            assert ours.dtype == theirs.dtype
            for field in ("bits", "eps", "epsneg", "max", "min", "smallest_normal", "smallest_subnormal", "tiny", "nmant",
                          "nexp", "precision", "resolution", "maxexp", "minexp"):
                value = getattr(ours, field)
                assert value == getattr(theirs, field), field
                assert type(value) is (int if isinstance(getattr(theirs, field), int) else float), field
    for scalar in (np.int8, np.uint64):
        for given in (scalar, np.dtype(scalar), clary.ones(2, scalar)):
            assert clary.iinfo(given).max == np.iinfo(scalar).max
    for wrong in (np.int32, np.bool_, "U3"):
        with pytest.raises((TypeError, ValueError)):
            clary.finfo(wrong)


def test_limits_are_weak(tier):
    x = clary.ones(2, "float16")
    assert (x * clary.finfo("float32").eps).dtype == "float16"


def test_limits_of_bfloat16():
    limits = clary.finfo(clary.bfloat16)
    assert limits.dtype == clary.bfloat16 and limits.bits == 16 and limits.eps == 2.0**-7
    assert "bfloat16" in repr(limits) and "float32" in repr(clary.finfo("float32"))


# ---- the inspection functions ----


def test_inspection(tier):
    info = clary.arange(2).__array_namespace__().__array_namespace_info__()
    assert info.default_device() == clary.default_device()
    assert info.default_device() in info.devices()
    capabilities = info.capabilities()
    assert capabilities["boolean indexing"] is True and capabilities["data-dependent shapes"] is True
    most = capabilities["max dimensions"]
    assert clary.zeros((1,) * most).ndim == most
    with pytest.raises(ValueError):
        clary.zeros((1,) * (most + 1))
    assert info.default_dtypes() == {
        "real floating": clary.zeros(1).dtype, "complex floating": clary.asarray([1j]).dtype,
        "integral": clary.asarray([1]).dtype, "indexing": clary.argmax(clary.zeros(2)).dtype}
    assert set(info.dtypes(kind="signed integer")) == {"int8", "int16", "int32", "int64"}
    assert set(info.dtypes(kind=("bool", "real floating"))) == {"bool", "float32", "float64"}
    assert len(info.dtypes()) == 13
    for dtype in info.dtypes(device=clary.default_device()).values():
        assert clary.empty(1, dtype=dtype).dtype == dtype


# ---- corner cases of functions ----


def test_eye_of_any_offset(tier):
    for rows, cols, k in [(3, 4, 10**30), (3, 4, -(10**30)), (0, 0, 2**63), (3, 4, 3), (3, 4, -2), (3, 4, 4), (3, 4, -3)]:
        assert (clary.asnumpy(clary.eye(rows, cols, k)) == np.eye(rows, cols, max(min(k, cols), -rows))).all()


def test_sequences_of_arrays_are_tuples(tier):
    assert type(clary.broadcast_arrays(clary.ones(2), clary.ones((2, 1)))) is tuple
    assert type(clary.meshgrid(clary.ones(2), clary.ones(3))) is tuple


def test_memory_orders(tier):
    """Orders in either case; what keeps the order of its operand keeps it; contiguity as NumPy has it."""
    host = np.arange(24, dtype="int16").reshape(2, 3, 4)
    for theirs in (host, host.T, host.transpose(1, 0, 2), host[:, ::2], host[0, 0]):
        ours = clary.asarray(host)
        ours = {host.T.strides: ours.T, host.transpose(1, 0, 2).strides: ours.transpose(1, 0, 2)}.get(theirs.strides, ours)
        ours = ours[:, ::2] if theirs.shape == (2, 2, 4) else ours[0, 0] if theirs.ndim == 1 else ours
        for order in "CFAKcfak":
            for make in (lambda a, o: a.copy(o), lambda a, o: a.astype("float32", o), lambda a, o: a.astype("int16", o),
                         lambda a, o: a.flatten(o), lambda a, o: a.ravel(o)):
                want, got = make(theirs, order), make(ours, order)
                assert (clary.asnumpy(got) == want).all()
                assert (got.flags.c_contiguous, got.flags.f_contiguous) == (want.flags.c_contiguous, want.flags.f_contiguous)
            for name in ("array", "asarray", "zeros_like", "copy"):
                want, got = getattr(np, name)(theirs, order=order), getattr(clary, name)(ours, order=order)
                assert (got.flags.c_contiguous, got.flags.f_contiguous) == (want.flags.c_contiguous, want.flags.f_contiguous)
    for wrong, error in (("X", ValueError), ("", ValueError), (1, TypeError)):
        for make in (lambda o: clary.asarray([[1]], order=o), lambda o: clary.zeros((2, 2), order=o),
                     lambda o: clary.eye(2, order=o), lambda o: clary.zeros((2, 2)).copy(o),
                     lambda o: clary.zeros((2, 2)).reshape(4, order=o),
                     lambda o: clary.zeros_like(clary.zeros(2), order=o)):
            with pytest.raises(error):
                make(wrong)


def test_masks_without_extent_pick_nothing(tier):
    for shape, mask in [((1, 1), (1, 0)), ((3, 4), (0,)), ((3, 4), (0, 0)), ((2, 3, 4), (2, 0)), ((0, 3), (0, 3)),
                        ((2, 0), (0,))]:
        host, key = np.ones(shape), np.ones(mask, bool)
        ours = clary.asarray(host)
        assert ours[clary.asarray(key)].shape == host[key].shape
        ours[clary.asarray(key)] = 5
        assert (clary.asnumpy(ours) == 1).all()
    for shape, mask in [((3, 4), (2,)), ((3, 4), (3, 3)), ((0, 3), (1,))]:
        with pytest.raises(IndexError):
            clary.ones(shape)[clary.ones(mask, bool)]


def test_bounds_of_clip_have_two_names(tier):
    a = clary.arange(5)
    for got in (a.clip(1, 3), clary.clip(a, 1, 3), clary.clip(a, a_min=1, a_max=3), clary.clip(a, min=1, max=3)):
        assert got.tolist() == [1, 1, 2, 3, 3]


def test_the_class_makes_arrays(tier):
    a = clary.ndarray((2, 3), "int16")
    assert type(a) is clary.Array and a.shape == (2, 3) and a.dtype == "int16"
    a[...] = 7
    assert (a == 7).all()
    assert clary.ndarray(4).dtype == "float64" and clary.ndarray(shape=()).shape == ()
    with pytest.raises(TypeError):
        clary.ndarray()
    with pytest.raises(NotImplementedError):
        clary.ndarray(2, buffer=b"x" * 16)


def test_discarding_imaginary_parts_is_warned_of(tier):
    z = clary.asarray([1 + 2j, 3])
    for dtype in ("float32", "int8", "uint64"):
        with pytest.warns(np.exceptions.ComplexWarning):
            assert z.astype(dtype).tolist() == [1, 3]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert z.astype(bool).tolist() == [True, True]
        assert z.astype("complex64").dtype == "complex64" and clary.arange(2).astype(complex).dtype == "complex128"


# ---- the lists of what the suites' runners leave out ----


ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def tool():
    path = ROOT / "tools" / "conformance" / "expectations.py"
    if not path.exists():
        pytest.skip("not in a source tree")
    return runpy.run_path(str(path))


def test_lists_of_exceptions_give_reasons(tool):
    lists = ROOT / "tests" / "conformance"
    listed = tool["entries"](lists / "array_api_skips.txt")
    assert len(listed) < 10 and all(entry.kind in ("skip", "xfail") and len(entry.reason) > 10 for entry in listed)
    assert {entry.kind for entry in tool["entries"](lists / "cupy_exclusions.txt")} == {"leave", "skip"}
    assert tool["matcher"]("pow*(abs(x) < 1").search("test_binary[__pow__(abs(x) < 1 and y)]")
    assert not tool["matcher"]("a.b").search("axb")


def test_a_list_without_reasons_is_refused(tool, tmp_path):
    for line in ("skip test_x", "xfail test_x  #", "drop test_x  # why"):
        (tmp_path / "list.txt").write_text(line + "\n")
        with pytest.raises(ValueError, match="list.txt:1"):
            tool["entries"](tmp_path / "list.txt")
