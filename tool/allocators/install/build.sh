#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds allocators into preload libraries from their sources, which sources.txt lists. Started by `linn allocators
# --install`, and by scripts/rivals of Linn's repository before the tool is there. Nothing here writes outside the folders
# named and the cache folder, whose logs/NAME.log has the output.
#
#   build.sh needs NAME...               prints the Debian packages that are missing to build these, one a line
#   build.sh install WORK NAME           downloads and builds in WORK; puts it into the cache folder once LINN_TOOL finds that it works
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
for number in LINN_DOWNLOAD_STALL LINN_DOWNLOAD_LIMIT; do
    if [[ ${!number:-0} == *[!0-9]* ]]; then
        echo "linn: $number must be whole seconds, not '${!number}'" >&2
        exit 2
    fi
done
readonly unreachable=3 # exit status: no place could be reached at all

cache= # as tool/allocators/catalogue.cpp
if [[ ${XDG_CACHE_HOME:-} == /* ]]; then
    cache=$XDG_CACHE_HOME/linn/allocators
elif [[ ${HOME:-} == /* ]]; then
    cache=$HOME/.cache/linn/allocators
fi

sources_of() { # NAME: its lines of the list, without the name
    awk -v name="$1" '$1 == name { print $2, $3, $4, $5 }' "$sources_list"
}

has_sum() { # FILE SHA256
    [[ -f $1 ]] && [[ $(sha256sum <"$1") == "$2 "* ]]
}

# One archive from one place, by way of PART. curl says what went wrong; 5, 6 and 7 are its statuses for a host that cannot be reached.
download() { # ADDRESS SHA256 FILE PART
    local address=$1 sum=$2 file=$3 part=$4 status=0 options
    if has_sum "$file" "$sum"; then return 0; fi
    options=(--fail --silent --show-error --location --connect-timeout "$stall" --speed-limit 1 --speed-time "$stall")
    if ((limit > 0)); then options+=(--max-time "$((limit > SECONDS ? limit - SECONDS : 1))"); fi
    echo "$address"
    curl "${options[@]}" --output "$part" "$address" || status=$?
    if ((status == 0)) && has_sum "$part" "$sum"; then
        mv "$part" "$file"
        return 0
    fi
    case $status in
    0) echo "its SHA-256 is $(sha256sum <"$part" | cut -d ' ' -f 1), and not $sum; it was thrown away" ;;
    23) echo "cannot write to ${file%/*}: no space left? Free 200 MB, or name another folder with XDG_CACHE_HOME" ;;
    esac
    rm -f "$part"
    case $status in 5 | 6 | 7) return "$unreachable" ;; esac
    return 1
}

# The sources of an allocator in $sources/NAME, and their version in $sources/NAME.version.
fetch() { # NAME
    local version sum address folder file result=$unreachable status
    while read -r version sum address folder; do
        file=${address#*://}
        if [[ -n $mirror ]]; then address=${mirror%/}/$file; fi
        file=$cache/downloads/${file//\//_}
        status=0
        download "$address" "$sum" "$file" "$sources/$1.part" || status=$?
        if ((status != 0)); then
            if ((status != unreachable)); then result=1; fi
            continue
        fi
        mkdir "$sources/$1.archive"
        if ! tar --extract --file "$file" --strip-components 1 --no-same-owner --directory "$sources/$1.archive"; then
            echo "cannot unpack $file into $sources: no space left? Free 200 MB, or name another folder with XDG_CACHE_HOME"
            return 1
        fi
        ln -s "$1.archive/$folder" "$sources/$1"
        echo "$version" >"$sources/$1.version"
        return 0
    done < <(sources_of "$1")
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

# Compiles what was fetched, and puts it into the cache folder where it can be used.
build() { # NAME
    local name=$1 source=$sources/$1 out=$work/built/$1 version place
    version=$(<"$source.version")
    place=$cache/$name/$version
    mkdir -p "$work/scratch/$name" "$out"
    (
        work=$work/scratch/$name
        set -x
        "build_$name"
    )
    echo "$version" >"$out/version"
    # One that cannot be used must not stand before the system's own.
    if [[ -z ${LINN_TOOL:-} ]]; then
        LD_PRELOAD=$out/lib$name.so sort "$out/version"
    elif ! "$LINN_TOOL" allocators --allocator "new=$out/lib$name.so" new; then
        echo "it was built, but cannot be used"
        return 1
    fi
    mkdir -p "${place%/*}"
    if [[ -e $place ]]; then mv -T "$place" "$work/old-$name"; fi
    # Renamed, so that it is there whole or not at all; another process may have been faster.
    mv -T "$out" "$place" || is_there "$name"
}

# Makes the work folder, and removes those of processes that were killed.
prepare() {
    local old
    if ! mkdir -p "$work/sources" "$cache/logs" "$cache/downloads"; then
        echo "cannot write to $cache" >&2
        return 1
    fi
    for old in "$cache"/.building-*; do
        if [[ ! -d /proc/${old##*-} ]]; then rm -rf "$old"; fi
    done
}

# Builds one after its sources were fetched with that status, or says why it is not there.
finish() { # NAME STATUS
    local log=$cache/logs/$1.log what="downloading the sources"
    if (($2 == 0)); then
        what=building
        if bash "$0" build "$work" "$1" >>"$log" 2>&1; then return 0; fi
    fi
    echo "$what failed; the end of $log:" >&2
    tail -n 12 "$log" | cut -c 1-300 | sed 's/^/  /' >&2 # a compiler's command line says nothing to a reader
    return 1
}

# Downloads, builds, tries and keeps one; prints its version. `linn allocators --install` removes the work folder.
install() { # NAME
    local status=0
    prepare
    bash "$0" fetch "$work" "$1" >"$cache/logs/$1.log" 2>&1 || status=$?
    finish "$1" "$status"
    cat "$work/sources/$1.version"
}

is_there() { # NAME: in a version of the list
    local each
    for each in $(sources_of "$1" | cut -d ' ' -f 1 | sort -u); do
        if [[ -e $cache/$1/$each/lib$1.so ]]; then return 0; fi
    done
    return 1
}

joined() { # WORD... : "a, b, c"
    local text
    text=$(printf '%s, ' "$@")
    echo "${text%, }"
}

# Says in a few lines what is there now and what is missing. What is put into the cache folder is tried there by every run that
# measures it.
rivals() { # NAME...
    local names=("$@") missing name waiting=() built=() offline=() status
    local -A fetching=()
    if ((${#names[@]} == 0)); then names=(mimalloc2 mimalloc3 rpmalloc snmalloc jemalloc); fi
    if [[ -z $cache ]]; then
        echo "linn: there is no folder to install allocators to: set HOME or XDG_CACHE_HOME" >&2
        return 1
    fi
    for name in "${names[@]}"; do
        if [[ -z $(sources_of "$name") ]]; then
            echo "linn: unknown allocator '$name'; the list is $sources_list" >&2
            return 2
        fi
        is_there "$name" || waiting+=("$name")
    done
    if ((${#waiting[@]} == 0)); then return 0; fi
    missing=$(needs "${waiting[@]}")
    if [[ -n $missing ]]; then
        echo "linn: going on without ${waiting[*]}: building them needs: apt-get install $(tr '\n' ' ' <<<"$missing")" >&2
        return 0
    fi
    work=$cache/.building-$$
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    if ! prepare; then
        echo "linn: going on without ${waiting[*]}" >&2
        return 0
    fi

    for name in "${waiting[@]}"; do
        LINN_DOWNLOAD_LIMIT=${LINN_DOWNLOAD_LIMIT:-60} bash "$0" fetch "$work" "$name" >"$cache/logs/$name.log" 2>&1 &
        fetching[$name]=$!
    done
    for name in "${waiting[@]}"; do
        status=0
        wait "${fetching[$name]}" || status=$?
        if ((status == unreachable)); then
            offline+=("$name")
        elif finish "$name" "$status"; then
            built+=("$name $(<"$work/sources/$name.version")")
        else
            echo "linn: going on without $name" >&2
        fi
    done
    if ((${#built[@]} > 0)); then echo "linn: built $(joined "${built[@]}") in $cache"; fi
    if ((${#offline[@]} > 0)); then
        echo "linn: offline, so going on without $(joined "${offline[@]}"); later: linn allocators --install ${offline[*]}" >&2
    fi
}

case ${1:-} in
needs | rivals)
    "$@"
    ;;
fetch | build | install) # WORK NAME; the first two are the steps of the others, which write a log
    work=$2 sources=$2/sources
    "$1" "$3"
    ;;
*)
    echo "usage: linn allocators --install NAME..." >&2
    exit 2
    ;;
esac
