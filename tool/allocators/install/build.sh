#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds allocators into preload libraries from the C and C++ sources that registry packages carry. Started by
# `linn allocators --install`, which names the folders, keeps the output as a log, tries what was built and moves it to
# its place; nothing here writes outside the folders named.
#
#   build.sh needs NAME...               prints the Debian packages that are missing to build these, one a line
#   build.sh fetch LOG VENDOR NAME       downloads the sources of NAME; VENDOR/<carrier>/<package>
#   build.sh build LOG VENDOR NAME WORK OUT   compiles in WORK; leaves OUT/lib<NAME>.so, OUT/version and its licence
#
# The libraries export operator new and delete: a peer that only replaces malloc loses some ns on C++ programs.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
jobs=$(nproc)
cc=${CC:-gcc}
cxx=${CXX:-g++}

carrier_of() { # NAME: the folder of the Cargo.lock that carries it
    case $1 in
    tcmalloc-google) echo tcmalloc-google ;;
    *) echo sources ;;
    esac
}

needs() {
    local name command package list=()
    for name; do
        list+=(cargo:cargo "$cc:gcc" "$cxx:g++")
        case $name in
        jemalloc) list+=(make:make) ;;
        snmalloc) list+=(cmake:cmake make:make) ;;
        esac
    done
    for name in "${list[@]}"; do
        command=${name%%:*} package=${name##*:}
        command -v "$command" >/dev/null || echo "$package"
    done | sort -u
}

fetch() { # VENDOR NAME
    local carrier
    carrier=$(carrier_of "$2")
    cp "$here/nothing.rs" "$1/"
    mkdir -p "$1/carrier"
    cp -r "$here/$carrier" "$1/carrier/"
    cp "$here/nothing.rs" "$1/carrier/"
    if ! (cd "$1/carrier/$carrier" && cargo vendor --locked "$1/$carrier" >/dev/null); then
        rm -rf "${1:?}/$carrier"
        echo "cargo could not download the sources; tcmalloc-google needs cargo 1.85 or newer, this is $(cargo --version)"
        return 1
    fi
}

# The licence of the sources, beside the library that was made of them.
licence() { # FILE...
    cp "$@" "$out/"
}

build_jemalloc() {
    local source=$vendor/tikv-jemalloc-sys
    cp -r "$source/jemalloc" "$work/jemalloc"
    cp "$source/configure/configure" "$work/jemalloc/"
    cd "$work/jemalloc"
    # Without --with-jemalloc-prefix: these are to be the names malloc, free and operator new.
    version=$(sed -n 's/^version = "[^"]*+\([0-9.]*\)-.*/\1/p' "$source/Cargo.toml")
    # A released file would say so; in a package the version comes from no version control.
    CC=$cc CXX=$cxx sh ./configure --disable-static --disable-doc --with-version="$version-0-g0" \
        CFLAGS="-O3 -g" CXXFLAGS="-O3 -g"
    make -j "$jobs" build_lib_shared
    cp lib/libjemalloc.so.2 "$out/libjemalloc.so"
    licence COPYING
}

build_mimalloc() { # MAJOR
    local source=$vendor/libmimalloc-sys/c_src/mimalloc/v$1
    local number
    number=$(sed -n 's/^#define MI_MALLOC_VERSION *\([0-9]*\).*/\1/p' "$source/include/mimalloc.h")
    version=$((number / 10000)).$((number / 100 % 100)).$((number % 100))
    # As C++, so that operator new can throw.
    "$cxx" -x c++ -std=c++17 -O3 -DNDEBUG -DMI_MALLOC_OVERRIDE=1 -DMI_SHARED_LIB -DMI_SHARED_LIB_EXPORT -fPIC \
        -fvisibility=hidden -ftls-model=initial-exec -fno-builtin-malloc -w -I "$source/include" -shared -pthread \
        -o "$out/lib$name.so" "$source/src/static.c"
    licence "$vendor/libmimalloc-sys/LICENSE.txt"
}
build_mimalloc2() { build_mimalloc 2; }
build_mimalloc3() { build_mimalloc 3; }

build_tcmalloc-google() {
    local source=$vendor/libtcmalloc-sys
    version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$source/Cargo.toml" | head -n 1)
    cd "$source"
    # The package's own list of files, without its bridges for Rust.
    sed -n 's/^ *"\(c_src\/.*\.\(cc\|S\)\)",$/\1/p' build.rs | grep -v bridge | sort -u >"$work/files"
    echo c_src/tcmalloc/tcmalloc/tcmalloc.cc >>"$work/files"
    local flags=(-std=c++17 -O2 -DNDEBUG -DNOMINMAX -DTCMALLOC_INTERNAL_8K_PAGES -fPIC -fno-omit-frame-pointer
        -fno-canonical-system-headers -w -I c_src/abseil-cpp -I c_src/tcmalloc)
    export -f compile
    cxx=$cxx work=$work xargs -P "$jobs" -I '{}' bash -c 'compile "$@"' compile '{}' "${flags[@]}" <"$work/files"
    "$cxx" -shared -pthread -o "$out/libtcmalloc-google.so" "$work"/*.o
    licence c_src/tcmalloc/LICENSE
}

compile() { # FILE FLAGS...
    local file=$1
    shift
    "$cxx" "$@" -c -o "$work/$(tr / _ <<<"$file").o" "$file"
}

build_snmalloc() {
    local source=$vendor/snmalloc-sys
    version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$source/Cargo.toml" | head -n 1)
    CC=$cc CXX=$cxx cmake -S "$source/upstream" -B "$work/build" -G "Unix Makefiles" -DCMAKE_BUILD_TYPE=Release \
        -DSNMALLOC_BUILD_TESTING=OFF -DSNMALLOC_STATIC_LIBRARY=OFF
    cmake --build "$work/build" --target snmallocshim -j "$jobs"
    cp "$work/build/libsnmallocshim.so" "$out/libsnmalloc.so"
}

build_rpmalloc() {
    local source=$vendor/rpmalloc-sys/rpmalloc
    version=$(head -n 1 "$source/CHANGELOG" | tr -d '\r')
    "$cc" -std=gnu11 -O3 -DNDEBUG -D_GNU_SOURCE -DENABLE_PRELOAD=1 -DENABLE_OVERRIDE=1 -fPIC \
        -ftls-model=initial-exec -fno-builtin-malloc -w -shared -pthread -o "$out/librpmalloc.so" \
        "$source/rpmalloc/rpmalloc.c"
    licence "$source/LICENSE"
}

build_hoard() {
    local source=$vendor/hoard-sys
    version=$(sed -n 's/^#define HOARD_VERSION_STRING "\(.*\)"/\1/p' "$source/Hoard/src/include/VERSION.h")
    cd "$source/Hoard/src"
    # Without semantic interposition the compiler may inline what the sources mark so; the mark itself, which asks for
    # it even where it is impossible, is taken away.
    "$cxx" -std=c++14 -O3 -DNDEBUG -D_REENTRANT=1 -include "$here/hoard_compat.hpp" -Dalways_inline= -fPIC \
        -fno-semantic-interposition -fno-builtin-malloc -w \
        -I . -I include -I include/util -I include/hoard -I include/superblocks -I ../.. -I ../../Heap-Layers \
        -shared -pthread -o "$out/libhoard.so" source/libhoard.cpp source/unixtls.cpp -ldl
    licence ../LICENSE
}

main() {
    case ${1:-} in
    needs)
        shift
        needs "$@"
        ;;
    fetch)
        exec >"$2" 2>&1
        fetch "$3" "$4"
        ;;
    build)
        exec >"$2" 2>&1
        name=$4 vendor=$3/$(carrier_of "$4") work=$5 out=$6 version=
        set -x
        "build_$name"
        printf '%s\n' "$version" >"$out/version"
        ;;
    *)
        echo "usage: linn allocators --install NAME..." >&2
        exit 2
        ;;
    esac
}

main "$@"
