"""Arrays of text, raw bytes and iterators, and text written."""
import io

import numpy as np
import pytest
from support import check, host
from twins import agree

import clary

ARRAYS = {"v": np.arange(5), "m": np.arange(6.0).reshape(2, 3) / 7}


def test_bytes_and_iterators(tier):
    agree(tier, """
        np.frombuffer(b"\\x01\\x02\\x03\\x04", "uint8")
        np.frombuffer(b"\\x01\\x02\\x03\\x04", dtype="<i2", count=1, offset=2)
        np.frombuffer(b"\\x01\\x02\\x03\\x04", ">i2").astype("int16")
        np.frombuffer(b"\\x01\\x02\\x03", "int16")
        np.frombuffer(b"12345678")
        np.fromiter((i * i for i in range(5)), float)
        np.fromiter([1, 2, 3], dtype=int, count=2)
        np.fromiter([1], dtype=int, count=2)
        np.fromstring("1 2  3", sep=" ")
        np.fromstring("1, 2, 3", dtype=int, count=2, sep=",")
    """, ARRAYS)
    values = np.array([1.5, -2, 0.25], np.float32)
    bits = (values.view(np.uint32) >> 16).astype(np.uint16)
    brief = clary.frombuffer(bits.tobytes(), clary.bfloat16)
    assert brief.dtype == clary.bfloat16
    np.testing.assert_array_equal(host(brief.astype("float32")), values)
    check(clary.fromiter([1.5, 2], clary.bfloat16).astype("float32"), np.array([1.5, 2], np.float32))


def test_files(tier, tmp_path):
    a = np.arange(10, dtype="int16")
    a.tofile(tmp_path / "raw")
    check(clary.fromfile(tmp_path / "raw", "int16", count=3, offset=4), a[2:5])
    (tmp_path / "text").write_text("1;2;3.5")
    check(clary.fromfile(tmp_path / "text", sep=";"), np.array([1, 2, 3.5]))
    clary.savetxt(tmp_path / "table", clary.array(ARRAYS["m"]), fmt="%.17g", header="three columns")
    check(clary.loadtxt(tmp_path / "table"), ARRAYS["m"])
    for ours, theirs in zip(clary.loadtxt(tmp_path / "table", unpack=True), ARRAYS["m"].T):
        check(ours, theirs)
    check(clary.loadtxt(tmp_path / "table", usecols=1, skiprows=1, dtype="float32"), ARRAYS["m"][:, 1].astype("float32"))
    with pytest.raises(OSError):
        clary.loadtxt(tmp_path / "nothing")
    with pytest.raises(TypeError):
        clary.loadtxt(io.StringIO("a b"), dtype=str)
    with pytest.raises(NotImplementedError):
        clary.genfromtxt(io.StringIO("1 2"), usemask=True)


def test_BL_208(tier):
    text = "0.5679e2,3000e-3,12.34e0,0.07e1,"
    check(clary.genfromtxt(io.StringIO(text), delimiter=","), [56.79, 3, 12.34, 0.7, np.nan])
    check(clary.loadtxt(io.StringIO(text[:-1]), delimiter=","), [56.79, 3, 12.34, 0.7])


def test_BL_210(tier):
    with pytest.raises(ValueError, match="row 1"):
        clary.loadtxt(io.StringIO('1,2\n3,4""\n5,6\n'), delimiter=",")
    check(clary.genfromtxt(io.StringIO('1,2\n3,4""\n5,6"\n7,8\n'), delimiter=","), [[1, 2], [3, np.nan], [5, np.nan], [7, 8]])


def test_BL_212(tier):
    check(clary.loadtxt(io.StringIO("# a\n# b\n0 1\n\n2 3\n\n\n"), dtype=int), np.array([[0, 1], [2, 3]]))
    check(clary.genfromtxt(io.StringIO("# a\n# b\n0 1\n\n2 3\n\n\n"), dtype=int), np.array([[0, 1], [2, 3]]))
