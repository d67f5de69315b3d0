"""NumPy's files: what NumPy writes is read, what Clary writes NumPy reads, the rest is refused."""
import io
import pickle
import struct
import zipfile

import numpy as np
import pytest
from support import NUMPY_NAMES, check, host, sample

import clary


def header(text, version=(1, 0), align=64):
    """The bytes of an .npy header around a dictionary's text."""
    body = text.encode("latin1" if version < (3, 0) else "utf8")
    size = 2 if version == (1, 0) else 4
    body += b" " * (-(8 + size + len(body) + 1) % align) + b"\n"
    return b"\x93NUMPY" + bytes(version) + struct.pack("<H" if size == 2 else "<I", len(body)) + body


def written(tmp_path, data, name="x.npy"):
    path = tmp_path / name
    path.write_bytes(data)
    return str(path)


@pytest.mark.parametrize("name", NUMPY_NAMES)
def test_npy_both_ways(tier, tmp_path, name):
    a = sample(name, 24)
    path = tmp_path / "a.npy"
    for value in (a, a.reshape(4, 6), a[3], a[:0], a.reshape(2, 3, 4)[:, ::-1], np.asfortranarray(a.reshape(4, 6))):
        np.save(path, value)
        check(clary.load(path), np.asarray(value))
        clary.save(path, clary.array(value))
        back = np.load(path)
        assert back.dtype == value.dtype and back.shape == value.shape
        np.testing.assert_array_equal(back, value)
    np.save(path, a.astype(a.dtype.newbyteorder(">")))
    check(clary.load(str(path)), a)


@pytest.fixture
def zips(tmp_path):
    try:
        clary.savez(tmp_path / "probe.npz", clary.arange(1))
    except clary.UnsupportedError as error:
        assert "libzip" in str(error)
        pytest.skip("built without libzip")


def test_npz_both_ways(tier, tmp_path, zips):
    arrays = {"first": np.arange(5), "second": np.ones((2, 3), "float32"), "scalar": np.array(2.5), "none": np.zeros((0, 2))}
    path = tmp_path / "a.npz"
    np.savez(path, **arrays)
    with clary.load(path) as found:
        assert sorted(found) == sorted(arrays) and len(found) == 4 and "first" in found
        for name, value in arrays.items():
            check(found[name], value)
        with pytest.raises(KeyError):
            found["other"]
    clary.savez(path, clary.arange(3), named=clary.ones(2))
    back = np.load(path)
    assert sorted(back) == ["arr_0", "named"]
    np.testing.assert_array_equal(back["arr_0"], np.arange(3))
    assert zipfile.ZipFile(path).testzip() is None


def test_npz_compressed(tier, tmp_path, zips):
    path = tmp_path / "a.npz"
    np.savez_compressed(path, a=np.arange(1000), b=np.zeros(3))
    check(clary.load(path)["a"], np.arange(1000))
    clary.savez_compressed(path, a=clary.arange(1000))
    np.testing.assert_array_equal(np.load(path)["a"], np.arange(1000))
    assert path.stat().st_size < 8000


def test_suffix_is_added(tmp_path, zips):
    clary.save(tmp_path / "plain", clary.arange(2))
    assert (tmp_path / "plain.npy").exists()
    clary.savez(str(tmp_path / "many"), clary.arange(2))
    assert (tmp_path / "many.npz").exists()


def test_versions_and_padding(tier, tmp_path):
    text = "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }"
    data = np.arange(3.0).tobytes()
    for version in ((1, 0), (2, 0), (3, 0)):
        for align in (16, 64):
            check(clary.load(written(tmp_path, header(text, version, align) + data)), np.arange(3.0))


BAD = {
    "empty": b"",
    "magic": b"NUMPY" + b"\0" * 100,
    "version": header("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", (9, 0)) + bytes(8),
    "short data": header("{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }") + bytes(23),
    "object": header("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }") + bytes(8),
    "structured": header("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }") + bytes(8),
    "call in shape": header("{'descr': '<f8', 'fortran_order': False, 'shape': (int(1),), }") + bytes(8),
    "negative shape": header("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }") + bytes(8),
    "huge shape": header("{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999, 9999999999), }") + bytes(8),
    "missing key": header("{'descr': '<f8', 'shape': (1,), }") + bytes(8),
    "brackets": header("(" * 20000) + bytes(8),
    "no dictionary": header("[]") + bytes(8),
    "unicode": header("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'é': 1}", (3, 0)) + bytes(8),
    "truncated header": header("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }")[:40],
    "header length": b"\x93NUMPY\x01\x00\xff\xff" + b"{}",
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files(name, tmp_path):
    path = written(tmp_path, BAD[name])
    with pytest.raises(ValueError) as caught:
        clary.load(path)
    assert isinstance(caught.value, clary.FormatError)
    check(clary.arange(2), np.arange(2))


def test_bad_archives(tmp_path, zips):
    good = io.BytesIO()
    np.savez(good, a=np.arange(10))
    data = good.getvalue()
    for cut in (10, len(data) // 2, len(data) - 5):
        with pytest.raises(clary.Error):
            clary.load(written(tmp_path, data[:cut], "x.npz"))["a"]
    with zipfile.ZipFile(tmp_path / "y.npz", "w") as archive:
        archive.writestr("a.npy", BAD["header length"])
        archive.writestr("b.npy", BAD["short data"])
    for member in ("a", "b"):
        with pytest.raises(clary.FormatError):
            clary.load(tmp_path / "y.npz")[member]


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        clary.load(tmp_path / "nothing.npy")
    with pytest.raises(clary.Error):
        clary.load(tmp_path / "nothing.npy")
    with pytest.raises(OSError):
        clary.save(tmp_path / "no" / "such" / "folder.npy", clary.arange(2))
    with pytest.raises(TypeError):
        clary.load(io.BytesIO())


def test_pickle_and_copy(tier):
    import copy

    for a in (np.arange(6).reshape(2, 3), np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.array(2.5), np.zeros((0, 2))):
        x = clary.array(a)
        for twin in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x.T)).T):
            check(twin, a)
            assert not twin.shares_memory(x)
    b = clary.array([1.5, 2.5], dtype=clary.bfloat16)
    twin = pickle.loads(pickle.dumps(b))
    assert twin.dtype == clary.bfloat16 and (host(twin) == [1.5, 2.5]).all()
    assert pickle.loads(pickle.dumps(clary.bfloat16)) is clary.bfloat16
    assert pickle.loads(pickle.dumps(clary.add)) is clary.add


def test_bfloat16_files(tier, tmp_path):
    clary.save(tmp_path / "b.npy", clary.array([1.5, 2.5], dtype=clary.bfloat16))
    assert np.load(tmp_path / "b.npy").dtype.itemsize == 2
