#!/usr/bin/env bash
# check_install.sh BUILD: installs the library built in BUILD into a prefix of its own and builds and runs
# examples/outside against it in four ways: CMake and pkg-config, shared and static.
set -euo pipefail
build=$(cd "$1" && pwd)
outside=$(cd "$(dirname "${BASH_SOURCE[0]}")/../examples/outside" && pwd)
work=$build/outside
rm -rf "$work"
mkdir -p "$work"
cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/prefix" # an installed tree can be moved
prefix=$work/prefix

for kind in shared static; do
    printf 'outside project, CMake, clary::%s\n' "$kind"
    cmake -S "$outside" -B "$work/cmake-$kind" -DCMAKE_PREFIX_PATH="$prefix" -DCLARY_KIND="$kind" \
        -DCMAKE_BUILD_TYPE=Release >"$work/cmake-$kind.log"
    cmake --build "$work/cmake-$kind" >>"$work/cmake-$kind.log"
    "$work/cmake-$kind/outside"
done

pc=$(dirname "$(find "$prefix" -name clary.pc)")
export PKG_CONFIG_PATH=$pc${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
for kind in shared static; do
    printf 'outside project, pkg-config, %s\n' "$kind"
    mkdir "$work/make-$kind"
    cp "$outside/Makefile" "$outside/outside.c" "$work/make-$kind"
    make -s -C "$work/make-$kind" KIND="$kind"
    "$work/make-$kind/outside"
done

for tool in "$prefix"/bin/*; do
    [ ! -x "$tool" ] || "$tool" >/dev/null
done
