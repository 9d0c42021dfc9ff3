#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds allocators into preload libraries from their sources, which sources.txt lists. Started by `linn allocators
# --install`, which names the folders, keeps the output as a log, tries what was built and moves it to its place; and by
# scripts/rivals of Linn's repository before the tool is there. Nothing here writes outside the folders named.
#
#   build.sh needs NAME...               prints the Debian packages that are missing to build these, one a line
#   build.sh fetch LOG DOWNLOADS SOURCES NAME    downloads the sources of NAME and unpacks them: SOURCES/NAME
#   build.sh build LOG SOURCES NAME WORK OUT     compiles in WORK; leaves OUT/lib<NAME>.so, OUT/version and its licence
#   build.sh rivals [NAME...]            both, for those that are not in the cache folder yet, which it puts them into
#
# The libraries export operator new and delete: a peer that only replaces malloc loses some ns on C++ programs.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
jobs=$(nproc)
cc=${CC:-gcc}
cxx=${CXX:-g++}

# shellcheck source=tool/allocators/install/download.sh
. "$here/download.sh"

needs() {
    local name command package list=()
    for name; do
        list+=(curl:curl "$cc:gcc" "$cxx:g++")
        case $name in
        jemalloc) list+=(bzip2:bzip2) ;;
        snmalloc) list+=(cmake:cmake make:make) ;;
        esac
    done
    for name in "${list[@]}"; do
        command=${name%%:*} package=${name##*:}
        command -v "$command" >/dev/null || echo "$package"
    done | sort -u
}

# The licence of the sources, next to the library that was made of them.
licence() { # FILE...
    cp "$@" "$out/"
}

compile() { # FILE FLAGS...
    local file=$1
    shift
    "$cxx" "$@" -c -o "$work/$(tr / _ <<<"$file").o" "$file"
}

# Compiles the files of standard input, one a line, at the same time.
compile_all() { # FLAGS...
    export -f compile
    cxx=$cxx work=$work xargs -P "$jobs" -I '{}' bash -c 'compile "$@"' compile '{}' "$@"
}

# As jemalloc's makefile does it, except that each file is compiled once: the first of its two passes finds the names of
# private symbols, which a library that hides them does not need.
build_jemalloc() {
    cp -r "$source/." "$work/jemalloc"
    cd "$work/jemalloc"
    if [[ ! -e configure ]]; then cp "$source/../configure/configure" .; fi
    # Without --with-jemalloc-prefix: these are to be the names malloc, free and operator new.
    CC=$cc CXX=$cxx sh ./configure --disable-static --disable-doc --with-version="$version-0-g0"
    local flags=(-O3 -funroll-loops -fPIC -DPIC -fvisibility=hidden -D_GNU_SOURCE -D_REENTRANT
        -DJEMALLOC_NO_PRIVATE_NAMESPACE -w -I include)
    find src -name '*.c' ! -name zone.c | cxx=$cc compile_all -std=gnu11 "${flags[@]}"
    echo src/jemalloc_cpp.cpp | compile_all -std=c++17 "${flags[@]}"
    "$cxx" -shared -pthread -o "$out/libjemalloc.so" "$work"/*.o -lm -ldl
    licence COPYING
}

build_mimalloc() {
    # As C++, so that operator new can throw.
    "$cxx" -x c++ -std=c++17 -O3 -DNDEBUG -DMI_MALLOC_OVERRIDE=1 -DMI_SHARED_LIB -DMI_SHARED_LIB_EXPORT -fPIC \
        -fvisibility=hidden -ftls-model=initial-exec -fno-builtin-malloc -w -I "$source/include" -shared -pthread \
        -o "$out/lib$name.so" "$source/src/static.c"
    licence "$source/LICENSE"
}
build_mimalloc2() { build_mimalloc; }
build_mimalloc3() { build_mimalloc; }

build_tcmalloc-google() {
    cd "$source"
    # The package's own list of files, without its bridges for Rust.
    {
        sed -n 's/^ *"\(c_src\/.*\.\(cc\|S\)\)",$/\1/p' build.rs | grep -v bridge | sort -u
        echo c_src/tcmalloc/tcmalloc/tcmalloc.cc
    } | compile_all -std=c++17 -O2 -DNDEBUG -DNOMINMAX -DTCMALLOC_INTERNAL_8K_PAGES -fPIC -fno-omit-frame-pointer \
        -fno-canonical-system-headers -w -I c_src/abseil-cpp -I c_src/tcmalloc
    "$cxx" -shared -pthread -o "$out/libtcmalloc-google.so" "$work"/*.o
    licence c_src/tcmalloc/LICENSE
}

build_snmalloc() {
    CC=$cc CXX=$cxx cmake -S "$source" -B "$work/build" -G "Unix Makefiles" -DCMAKE_BUILD_TYPE=Release \
        -DSNMALLOC_BUILD_TESTING=OFF -DSNMALLOC_STATIC_LIBRARY=OFF
    cmake --build "$work/build" --target snmallocshim -j "$jobs"
    cp "$work/build/libsnmallocshim.so" "$out/libsnmalloc.so"
}

build_rpmalloc() {
    "$cc" -std=gnu11 -O3 -DNDEBUG -D_GNU_SOURCE -DENABLE_PRELOAD=1 -DENABLE_OVERRIDE=1 -fPIC \
        -ftls-model=initial-exec -fno-builtin-malloc -w -shared -pthread -o "$out/librpmalloc.so" \
        "$source/rpmalloc/rpmalloc.c"
    licence "$source/LICENSE"
}

build_hoard() {
    cd "$source/src"
    # Without semantic interposition the compiler may inline what the sources mark so; the mark itself, which asks for
    # it even where it is impossible, is taken away.
    "$cxx" -std=c++14 -O3 -DNDEBUG -D_REENTRANT=1 -include "$here/hoard_compat.hpp" -Dalways_inline= -fPIC \
        -fno-semantic-interposition -fno-builtin-malloc -w \
        -I . -I include -I include/util -I include/hoard -I include/superblocks -I ../.. -I ../../Heap-Layers \
        -shared -pthread -o "$out/libhoard.so" source/libhoard.cpp source/unixtls.cpp -ldl
    licence ../LICENSE
}

cache_folder() { # as tool/allocators/finder.cpp
    if [[ ${XDG_CACHE_HOME:-} == /* ]]; then
        echo "$XDG_CACHE_HOME/linn/allocators"
    elif [[ ${HOME:-} == /* ]]; then
        echo "$HOME/.cache/linn/allocators"
    fi
}

main() {
    case ${1:-} in
    needs)
        shift
        needs "$@"
        ;;
    fetch)
        exec >"$2" 2>&1
        check_download_settings
        fetch "$3" "$4" "$5"
        ;;
    build)
        exec >"$2" 2>&1
        name=$4 source=$3/$4 work=$5 out=$6
        version=$(<"$source.version")
        set -x
        "build_$name"
        printf '%s\n' "$version" >"$out/version"
        ;;
    rivals)
        shift
        . "$here/rivals.sh"
        rivals "$@"
        ;;
    *)
        echo "usage: linn allocators --install NAME..." >&2
        exit 2
        ;;
    esac
}

main "$@"
