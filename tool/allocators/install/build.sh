#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds allocators into preload libraries from their sources, which sources.txt lists. Started by `linn allocators
# --install`, and by scripts/rivals of Linn's repository before the tool is there. Nothing here writes outside the folders
# named and the cache folder, whose logs/NAME.log has the output.
#
#   build.sh needs NAME...               prints the Debian packages that are missing to build these, one a line
#   build.sh fetch LOG DOWNLOADS SOURCES NAME    downloads the sources of NAME and unpacks them: SOURCES/NAME
#   build.sh build LOG SOURCES NAME WORK OUT     compiles in WORK; leaves OUT/lib<NAME>.so, OUT/version and its licence
#   build.sh install WORK NAME           both, in WORK; puts it into the cache folder once LINN_TOOL finds that it works
#   build.sh rivals [NAME...]            the same without the tool, for those that are not there yet
#
# An archive is used only with its sum, and gets its name when it is whole. The environment may say:
#
#   LINN_SOURCES=FILE           another list than sources.txt
#   LINN_MIRROR=ADDRESS         archives come from ADDRESS/HOST/PATH, and from nowhere else
#   LINN_DOWNLOAD_STALL=SECONDS a download ends when nothing arrives for so long (15)
#   LINN_DOWNLOAD_LIMIT=SECONDS downloads of one allocator end after so long (no limit)
#
# The libraries export operator new and delete: a peer that only replaces malloc loses some ns on C++ programs.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
jobs=$(nproc)
cc=${CC:-gcc}
cxx=${CXX:-g++}

sources_list=${LINN_SOURCES:-$here/sources.txt}
mirror=${LINN_MIRROR:-}
stall=${LINN_DOWNLOAD_STALL:-15}
limit=${LINN_DOWNLOAD_LIMIT:-0}
readonly unreachable=3 # exit status: no place could be reached at all

check_download_settings() {
    local name
    for name in stall limit; do
        if [[ ! ${!name} =~ ^[0-9]{1,5}$ ]] || [[ $name == stall && ! $stall =~ [1-9] ]]; then
            echo "LINN_DOWNLOAD_${name^^} is '${!name}': give a whole number of seconds, such as 30" >&2
            return 2
        fi
    done
    if [[ -n $mirror && ! $mirror =~ ^(https?|file):// ]]; then
        echo "LINN_MIRROR is '$mirror': give an address that begins with https://, http:// or file://" >&2
        return 2
    fi
    if [[ ! -r $sources_list ]]; then
        echo "LINN_SOURCES: cannot read $sources_list" >&2
        return 2
    fi
}

sources_of() { # NAME: its lines of the list, without the name
    awk -v name="$1" '$1 == name { print $2, $3, $4, $5 }' "$sources_list"
}

versions_of() { # NAME
    sources_of "$1" | cut -d ' ' -f 1 | sort -u
}

has_sum() { # FILE SHA256
    [[ -f $1 ]] && [[ $(sha256sum <"$1") == "$2 "* ]]
}

# One archive from one place. curl says what went wrong; 5, 6 and 7 are its statuses for a host that cannot be reached.
download() { # ADDRESS SHA256 FILE
    local address=$1 sum=$2 file=$3 status=0 options
    if has_sum "$file" "$sum"; then return 0; fi
    options=(--fail --silent --show-error --location --connect-timeout "$stall" --speed-limit 1 --speed-time "$stall")
    if ((limit > 0)); then options+=(--max-time "$((limit > SECONDS ? limit - SECONDS : 1))"); fi
    echo "$address"
    curl "${options[@]}" --output "$file.part" "$address" || status=$?
    if ((status == 0)) && has_sum "$file.part" "$sum"; then
        mv "$file.part" "$file"
        return 0
    fi
    case $status in
    0) echo "its SHA-256 is $(sha256sum <"$file.part" | cut -d ' ' -f 1), and not $sum; it was thrown away" ;;
    23) echo "cannot write to ${file%/*}: no space left? Free 200 MB, or name another folder with XDG_CACHE_HOME" ;;
    esac
    rm -f "$file.part"
    case $status in 5 | 6 | 7) return "$unreachable" ;; esac
    return 1
}

# The sources of an allocator in SOURCES/NAME, and their version in SOURCES/NAME.version.
fetch() { # DOWNLOADS SOURCES NAME
    local version sum address folder file lock result=$unreachable status
    mkdir -p "$1" "$2"
    while read -r version sum address folder; do
        file=${address#*://}
        if [[ -n $mirror ]]; then address=${mirror%/}/$file; fi
        file=$1/${file//\//_}
        status=0
        # Two allocators, or two processes, may want the same archive.
        exec {lock}>"$file.lock"
        flock "$lock"
        download "$address" "$sum" "$file" || status=$?
        exec {lock}>&-
        rm -f "$file.lock"
        if ((status != 0)); then
            if ((status != unreachable)); then result=1; fi
            continue
        fi
        rm -rf "${2:?}/$3" "$2/$3.archive"
        mkdir "$2/$3.archive"
        if ! tar --extract --file "$file" --strip-components 1 --no-same-owner --directory "$2/$3.archive"; then
            echo "cannot unpack $file into $2: no space left? Free 200 MB, or name another folder with XDG_CACHE_HOME"
            return 1
        fi
        ln -s "$3.archive/$folder" "$2/$3"
        echo "$version" >"$2/$3.version"
        return 0
    done < <(sources_of "$3")
    return "$result"
}

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

cache_folder() { # as tool/allocators/catalogue.cpp
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
    install | rivals)
        . "$here/rivals.sh"
        "$@"
        ;;
    *)
        echo "usage: linn allocators --install NAME..." >&2
        exit 2
        ;;
    esac
}

main "$@"
