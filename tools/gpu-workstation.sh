#!/usr/bin/env bash
# gpu-workstation.sh [STAGE...]: builds, tests and measures Clary on a machine with a GPU, without network.
#
# Stages, all of them if none is named: build, c (the C tests), python (pytest), bench. Needs a C compiler,
# CMake, ninja, OpenCL's headers, and Python with its headers, NumPy, pytest and scikit-build-core; what
# Python lacks of that (cffi, say) can lie as wheels in the folder wheels/. Everything is made in build/gpu.
#   CLARY_DEVICE   the device to test and measure (default: gpu)
#   PYTEST_ARGS    arguments for pytest (default: -x -q)
#   BENCH_ARGS     arguments for bench/run.py
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
device=${CLARY_DEVICE:-gpu}
devices=reference
[ "$device" = reference ] || devices+=,$device
build=$PWD/build/gpu
site=$build/site
stages=("$@")
[ "$#" -gt 0 ] || stages=(build c python bench)
jobs=$(nproc)
export CMAKE_BUILD_PARALLEL_LEVEL=$jobs
export PYTHONPATH=$site${PYTHONPATH:+:$PYTHONPATH}

say() { printf '==> %s\n' "$*" >&2; }

# NVIDIA's driver is found through a file that container images tend to lack.
register_nvidia() {
    local library vendors=/etc/OpenCL/vendors
    grep -qs nvidia "$vendors"/*.icd && return
    library=$(ldconfig -p | sed -n 's/.*libnvidia-opencl\.so\.1.* => //p' | head -n 1)
    if [ -z "$library" ]; then
        library=$(find /usr/local/nvidia /usr/lib /usr/lib64 -name 'libnvidia-opencl.so.1' -print -quit 2>/dev/null || true)
    fi
    [ -n "$library" ] || return 0
    if ! mkdir -p "$vendors" 2>/dev/null || ! [ -w "$vendors" ]; then
        vendors=$build/vendors # not root: a folder of our own, which the loader is pointed to
        mkdir -p "$vendors"
        cp /etc/OpenCL/vendors/*.icd "$vendors" 2>/dev/null || true
        export OCL_ICD_VENDORS=$vendors
    fi
    say "registering $library"
    printf '%s\n' "$library" >"$vendors/nvidia.icd"
}

stage_build() {
    if ! printf '#include <CL/cl.h>\n' | cc -E - >/dev/null 2>&1 && [ -e /usr/local/cuda/include/CL/cl.h ]; then
        export CPATH=/usr/local/cuda/include${CPATH:+:$CPATH}
    fi
    if compgen -G 'wheels/*.whl' >/dev/null; then
        say "installing wheels"
        python3 -m pip install --quiet --no-index --no-deps --upgrade --target "$site" wheels/*.whl
    fi
    say "building the library and its tests"
    cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
        "-DCLARY_TEST_DEVICES=${devices/,/;}" >"$build/configure.log"
    cmake --build "$build" -j "$jobs" >"$build/build.log" || { tail -n 40 "$build/build.log" >&2; exit 1; }
    say "building the Python package"
    python3 -m pip install --no-index --no-deps --no-build-isolation --upgrade --target "$site" -v \
        --config-settings "build-dir=$build/python" . >"$build/install.log" 2>&1 || { tail -n 40 "$build/install.log" >&2; exit 1; }
    "$build/clary-info"
}

stage_c() { ctest --test-dir "$build" --output-on-failure -j "$((jobs < 4 ? jobs : 4))"; }

stage_python() {
    local -a arguments
    read -ra arguments <<<"${PYTEST_ARGS:--x -q}"
    CLARY_TEST_DEVICES=$devices python3 -m pytest -p no:cacheprovider "${arguments[@]}" tests/python
}

stage_bench() {
    local -a arguments
    read -ra arguments <<<"${BENCH_ARGS:-}"
    python3 bench/run.py --device "$device" --record "$build/bench/bench_record" \
        --json "${OUT:-$build}/bench.json" "${arguments[@]}"
}

mkdir -p "$build"
register_nvidia
failed=()
for stage in "${stages[@]}"; do
    say "$stage"
    case $stage in
    build) stage_build ;;
    c) stage_c || failed+=(c) ;;
    python) stage_python || failed+=(python) ;;
    bench) stage_bench || failed+=(bench) ;;
    *)
        printf 'stages: build c python bench\n' >&2
        exit 2
        ;;
    esac
done
if [ "${#failed[@]}" -gt 0 ]; then
    printf 'failed: %s\n' "${failed[*]}" >&2
    exit 1
fi
