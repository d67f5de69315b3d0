"""python -m clary info [--json] and python -m clary --version."""
import argparse
import json
import sys

import clary


def _bytes(n):
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if n < 1024 or unit == "TiB":
            return f"{n:.4g} {unit}"
        n /= 1024


def _print_device(index, info, default):
    print(f"{index}: {info.name}{'  (default)' if default else ''}")
    print(f"   platform   {info.platform}")
    if not info.usable:
        print(f"   unusable   {info.reason}")
        return
    print(f"   type       {info.type}, backend {info.backend}, driver {info.driver or '-'}")
    flags = [n for n in ("fp64", "fp16", "int64_atomics", "shares_host_memory") if getattr(info, n)]
    print(f"   has        {', '.join(flags) or '-'}")
    clock = f" at {info.clock_mhz} MHz" if info.clock_mhz else ""
    print(f"   units      {info.units}{clock}, subgroup {info.subgroup or 'unknown'}, "
          f"work-group up to {info.max_work_group}")
    print(f"   memory     {_bytes(info.memory)}, largest buffer {_bytes(info.max_allocation)}, "
          f"local {_bytes(info.local_memory)}")


def info(as_json):
    found = clary.devices()
    try:
        default = clary.default_device().info
    except clary.Error as error:
        default, problem = None, str(error)
    else:
        problem = ""
    if as_json:
        json.dump({"version": clary.__version__, "jit": clary.get_jit(), "devices": [d._asdict() for d in found],
                   "default": default and default.name, "problem": problem, "diagnosis": clary.diagnosis()},
                  sys.stdout, indent=2)
        print()
        return 0 if default else 1
    print(f"Clary {clary.__version__}")
    for index, device in enumerate(found):
        _print_device(index, device, device == default)
    if problem:
        print(problem)
    if not any(d.usable and d.backend == "opencl" for d in found):
        print(clary.diagnosis())
    return 0 if default else 1


def main(argv=None):
    parser = argparse.ArgumentParser(prog="clary", description="Facts of the library and of this machine's devices.")
    parser.add_argument("--version", action="version", version=f"clary {clary.__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    shown = commands.add_parser("info", help="list devices and what they can do")
    shown.add_argument("--json", action="store_true", help="as JSON")
    args = parser.parse_args(argv)
    return info(args.json)


if __name__ == "__main__":
    sys.exit(main())
