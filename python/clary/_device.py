"""Devices: listing, opening, choosing the default; and the engine's switches and counters."""
import collections

from ._core import NULL, ArgumentError, check, ffi, lib, text

DeviceInfo = collections.namedtuple("DeviceInfo", [name for name, _ in ffi.typeof("clary_device_info").fields])
DeviceInfo.__doc__ = "Facts of a device, as probed."
MemoryStats = collections.namedtuple("MemoryStats", [name for name, _ in ffi.typeof("clary_memory_stats").fields])
MemoryStats.__doc__ = "Bytes and counts of a device's memory pool."
Counters = collections.namedtuple("Counters", [name for name, _ in ffi.typeof("clary_counters").fields])
Counters.__doc__ = "What the engine did since the process began or reset_counters() was called."


def _tuple(kind, struct):
    """A namedtuple of a C struct's fields."""
    values = (getattr(struct, name) for name in kind._fields)
    return kind(*(text(v) if isinstance(v, ffi.CData) else v for v in values))


class Device:
    """An open device. As a context manager it is the default device inside the block."""

    __slots__ = ("_h", "_previous")

    def __init__(self, selector="best"):
        """Opens the device that a selector names: "gpu", "cpu", "nvidia:1", "pocl", "reference", ..."""
        if not isinstance(selector, str):
            selector = str(int(selector))
        self._h = call_device(lib.clary_device_open, selector.encode())
        self._previous = []

    def __del__(self):
        handle = getattr(self, "_h", None)
        if handle is not None:
            lib.clary_device_release(ffi.new("clary_device *[1]", [handle]))

    @property
    def info(self):
        """Facts of the device."""
        out = ffi.new("clary_device_info *")
        check(lib.clary_device_get_info(self._h, out))
        return _tuple(DeviceInfo, out)

    @property
    def name(self):
        return self.info.name

    @property
    def platform(self):
        return self.info.platform

    @property
    def type(self):
        return self.info.type

    def memory(self):
        """Statistics of the device's memory pool."""
        out = ffi.new("clary_memory_stats *")
        check(lib.clary_device_memory(self._h, out))
        return _tuple(MemoryStats, out)

    def set_memory_limit(self, nbytes):
        """Bytes that arrays and the pool may hold; 0: no limit of ours."""
        check(lib.clary_device_set_memory_limit(self._h, nbytes))

    def trim(self):
        """Gives pooled memory that no array uses back to the driver."""
        check(lib.clary_device_trim(self._h))

    def synchronize(self):
        """Waits for everything started on the device."""
        check(lib.clary_synchronize(self._h))

    def __enter__(self):
        self._previous.append(default_device())
        check(lib.clary_set_default_device(self._h))
        return self

    def __exit__(self, *exc):
        previous = self._previous.pop()
        check(lib.clary_set_default_device(previous._h))

    def __eq__(self, other):
        if isinstance(other, Device):
            return self._h == other._h
        return NotImplemented

    def __hash__(self):
        return hash(self._h)

    def __repr__(self):
        info = self.info
        return f"<Device {info.name} ({info.platform}, {info.type})>"

    __str__ = __repr__


def call_device(function, *args):
    out = ffi.new("clary_device *[1]")
    check(function(*args, out))
    return out[0]


def from_pointer(pointer):
    """The Device of a borrowed handle."""
    device = Device.__new__(Device)
    device._h = lib.clary_py_retain_device(pointer)
    device._previous = []
    return device


def handle(selected):
    """C's handle of a Device, a selector or None (the default device). Strings are opened and made to
    live as long as the process: a device that is named once is used again."""
    if selected is None:
        return NULL
    if isinstance(selected, Device):
        return selected._h
    if isinstance(selected, ffi.CData):
        return selected
    if isinstance(selected, (str, int)):
        if selected not in _named:
            _named[selected] = Device(selected)
        return _named[selected]._h
    raise ArgumentError(f"device must be a Device, a selector string or None, not {selected!r}")


_named = {}


def device(selector="best"):
    """Opens the device that a selector names. `with device("reference"):` makes it the default inside."""
    return selector if isinstance(selector, Device) else Device(selector)


def default_device():
    """The device on which arrays are made when none is named."""
    return from_pointer(call_device(lib.clary_default_device))


def set_device(selector):
    """Makes a device the default and returns it."""
    chosen = device(selector)
    check(lib.clary_set_default_device(chosen._h))
    return chosen


def devices():
    """Facts of every device found, broken ones included; the reference device is the last."""
    found = []
    for index in range(lib.clary_device_count()):
        out = ffi.new("clary_device_info *")
        check(lib.clary_device_describe(index, out))
        found.append(_tuple(DeviceInfo, out))
    return found


def diagnosis():
    """What was looked for and found of OpenCL, and what to install where something is missing."""
    return text(lib.clary_device_diagnosis())


def eval(*arrays):
    """Starts the computation of arrays, together; does not wait. Returns them (one: itself)."""
    flat = [a for item in arrays for a in (item if isinstance(item, (list, tuple)) else [item])]
    check(lib.clary_eval([a._h for a in flat], len(flat)))
    return arrays[0] if len(arrays) == 1 else arrays


def synchronize(device=None):
    """Waits for everything started on a device; None: on every open one."""
    check(lib.clary_synchronize(handle(device)))


def counters():
    """Launches, builds, cache hits, bytes moved, memory: totals over all devices."""
    out = ffi.new("clary_counters *")
    lib.clary_get_counters(out)
    return _tuple(Counters, out)


def reset_counters():
    """Sets the totals to zero; what is live stays."""
    lib.clary_reset_counters()


def set_jit(mode):
    """Which tier runs small work on devices that share the host's memory: "auto", "always" (compiled
    kernels) or "never" (the reference executor). Returns the mode before."""
    before = text(lib.clary_get_jit())
    check(lib.clary_set_jit(mode.encode()))
    return before


def get_jit():
    """The mode set by set_jit or $CLARY_JIT."""
    return text(lib.clary_get_jit())
