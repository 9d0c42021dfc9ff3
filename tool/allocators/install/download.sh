# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Downloads the sources of allocators, and checks their sums; part of build.sh. The environment may say:
#
#   LINN_SOURCES=FILE           another list than sources.txt
#   LINN_MIRROR=ADDRESS         archives come from ADDRESS/HOST/PATH, and from nowhere else
#   LINN_DOWNLOAD_STALL=SECONDS a download ends when nothing arrives for so long (15)
#   LINN_DOWNLOAD_LIMIT=SECONDS downloads of one allocator end after so long (no limit)
#
# An archive gets its name when it is whole.
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
