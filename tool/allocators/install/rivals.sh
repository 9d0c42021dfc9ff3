# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Downloads and builds the allocators that a comparison should not lack, without the tool; part of build.sh. What it puts
# into the cache folder is tried there by every run that measures it.

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
    work=$cache/.building-$$ # as the tool names it, which removes what is left of a process that was killed
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    if ! mkdir -p "$work/sources" "$cache/logs"; then
        echo "linn: going on without ${waiting[*]}: cannot write to $cache" >&2
        return 0
    fi

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

without() { # NAME CACHE
    echo "linn: going on without $1; the end of $2/logs/$1.log:" >&2
    tail -n 4 "$2/logs/$1.log" | cut -c 1-300 | sed 's/^/  /' >&2
    if (($(df --output=avail -k "$2" | tail -n 1) < 1024)); then
        echo "  no space is left in $2: free 200 MB, or name another folder with XDG_CACHE_HOME" >&2
    fi
}

build_into() { # CACHE NAME: sets version
    local built=$work/built/$2 place
    mkdir -p "$work/scratch/$2" "$built" &&
        bash "$here/build.sh" build "$1/logs/$2.log" "$work/sources" "$2" "$work/scratch/$2" "$built" &&
        # One that cannot even run this must not stand before the system's own.
        LD_PRELOAD=$built/lib$2.so sort "$built/version" >>"$1/logs/$2.log" 2>&1 || {
        without "$2" "$1"
        return 1
    }
    rm -rf "$work/scratch/$2"
    version=$(<"$built/version")
    place=$1/$2/$version
    mkdir -p "${place%/*}"
    # Renamed, so that it is there whole or not at all; another process may have been faster.
    mv -T "$built" "$place" 2>/dev/null || is_there "$1" "$2"
}
