# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Downloads and builds the allocators that a comparison should not lack, without the tool; part of build.sh. What it puts
# into the cache folder is tried there by every run that measures it.

# Downloads, builds, tries and keeps one; prints its version. `linn allocators --install` removes WORK.
install() { # WORK NAME
    local cache log what="downloading the sources" version
    cache=$(cache_folder) work=$1 log=$(cache_folder)/logs/$2.log
    if ! mkdir -p "$work/sources" "$cache/logs"; then
        echo "cannot write to $cache" >&2
        return 1
    fi
    remove_remains "$cache"
    if bash "$here/build.sh" fetch "$log" "$cache/downloads" "$work/sources" "$2"; then
        what=building
        if build_into "$cache" "$2"; then
            echo "$version"
            return 0
        fi
    fi
    echo "$what failed; the end of $log:" >&2
    end_of_log 12 "$log"
    return 1
}

# Of processes that were killed.
remove_remains() { # CACHE
    local old
    for old in "$1"/.building-*; do
        if [[ ! -d /proc/${old##*-} ]]; then rm -rf "$old"; fi
    done
}

# Says in a few lines what is there now and what is missing.
rivals() { # NAME...
    local names=("$@") cache missing name version waiting=() built=() offline=() status
    local -A fetching=()
    if ((${#names[@]} == 0)); then names=(mimalloc2 mimalloc3 rpmalloc snmalloc jemalloc); fi
    check_download_settings || return
    cache=$(cache_folder)
    if [[ -z $cache ]]; then
        echo "linn: there is no folder to install allocators to: set HOME or XDG_CACHE_HOME" >&2
        return 1
    fi
    for name in "${names[@]}"; do
        if [[ -z $(versions_of "$name") ]]; then
            echo "linn: unknown allocator '$name'; the list is $sources_list" >&2
            return 2
        fi
        is_there "$cache" "$name" || waiting+=("$name")
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
    if ! mkdir -p "$work/sources" "$cache/logs"; then
        echo "linn: going on without ${waiting[*]}: cannot write to $cache" >&2
        return 0
    fi

    remove_remains "$cache"
    for name in "${waiting[@]}"; do
        LINN_DOWNLOAD_LIMIT=${LINN_DOWNLOAD_LIMIT:-60} bash "$here/build.sh" fetch "$cache/logs/$name.log" \
            "$cache/downloads" "$work/sources" "$name" &
        fetching[$name]=$!
    done
    for name in "${waiting[@]}"; do
        status=0
        wait "${fetching[$name]}" || status=$?
        if ((status == unreachable)); then
            offline+=("$name")
        elif ((status != 0)); then
            without "$name" "$cache"
        elif build_into "$cache" "$name"; then
            built+=("$name $version")
        else
            without "$name" "$cache"
        fi
    done
    if ((${#built[@]} > 0)); then echo "linn: built $(joined "${built[@]}") in $cache"; fi
    if ((${#offline[@]} > 0)); then
        echo "linn: offline, so going on without $(joined "${offline[@]}"); later: linn allocators --install ${offline[*]}" >&2
    fi
}

joined() { # WORD... : "a, b, c"
    local text
    text=$(printf '%s, ' "$@")
    echo "${text%, }"
}

is_there() { # CACHE NAME: in a version of the list
    local each
    for each in $(versions_of "$2"); do
        if [[ -e $1/$2/$each/lib$2.so ]]; then return 0; fi
    done
    return 1
}

end_of_log() { # COUNT FILE: a compiler's command line says nothing to a reader
    tail -n "$1" "$2" | cut -c 1-300 | sed 's/^/  /' >&2
}

without() { # NAME CACHE
    echo "linn: going on without $1; the end of $2/logs/$1.log:" >&2
    end_of_log 4 "$2/logs/$1.log"
    if (($(df --output=avail -k "$2" | tail -n 1) < 1024)); then
        echo "  no space is left in $2: free 200 MB, or name another folder with XDG_CACHE_HOME" >&2
    fi
}

build_into() { # CACHE NAME: sets version
    local built=$work/built/$2 place
    mkdir -p "$work/scratch/$2" "$built" &&
        bash "$here/build.sh" build "$1/logs/$2.log" "$work/sources" "$2" "$work/scratch/$2" "$built" &&
        try_it "$2" "$built" >>"$1/logs/$2.log" 2>&1 || return 1
    rm -rf "$work/scratch/$2"
    version=$(<"$built/version")
    place=$1/$2/$version
    mkdir -p "${place%/*}"
    if [[ -e $place ]]; then mv -T "$place" "$work/old"; fi
    # Renamed, so that it is there whole or not at all; another process may have been faster.
    mv -T "$built" "$place" 2>/dev/null || is_there "$1" "$2"
}

# One that cannot be used must not stand before the system's own.
try_it() { # NAME FOLDER
    if [[ -z ${LINN_TOOL:-} ]]; then
        LD_PRELOAD=$2/lib$1.so sort "$2/version"
    elif ! "$LINN_TOOL" allocators --allocator "new=$2/lib$1.so" new; then
        echo "it was built, but cannot be used"
        return 1
    fi
}
