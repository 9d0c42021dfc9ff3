# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Downloads the sources of allocators, and checks their sums; part of build.sh. The environment may say:
#
#   LINN_SOURCES=FILE           another list than sources.txt
#   LINN_MIRROR=ADDRESS         archives come from ADDRESS/HOST/PATH, and from nowhere else
#   LINN_DOWNLOAD_STALL=SECONDS a download ends when nothing arrives for so long (15)
#   LINN_DOWNLOAD_LIMIT=SECONDS downloads of one allocator end after so long (no limit)
#
# An archive that is whole keeps its name; what has arrived of one is its name with .part, and the next call goes on there.
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

size_of() { # FILE: 0 if there is none
    stat -c %s "$1" 2>/dev/null || echo 0
}

# What went wrong, in words. 5, 6 and 7 are curl's for a host that cannot be reached.
reason_of() { # CURL'S-STATUS HTTP-STATUS FILE
    case $1 in
    5 | 6) echo "the host is not known here (is this machine offline?)" ;;
    7) echo "no connection to the host" ;;
    22) echo "the server answers $2" ;;
    23) echo "cannot write to ${3%/*}: no space left? Free 200 MB, or name another folder with XDG_CACHE_HOME" ;;
    37) echo "the file is not there" ;;
    28)
        if ((limit > 0 && SECONDS >= limit)); then
            echo "not done in $limit s; $(size_of "$3.part") bytes are there, and the next call goes on with them"
        else
            echo "nothing arrived for $stall s; $(size_of "$3.part") bytes are there, and the next call goes on with them"
        fi
        ;;
    18 | 52 | 55 | 56 | 92) echo "the connection broke off after $(size_of "$3.part") bytes; the next call goes on with them" ;;
    35 | 51 | 58 | 59 | 60 | 66 | 77) echo "its certificate cannot be checked (apt-get install ca-certificates)" ;;
    *) echo "curl ended with status $1" ;;
    esac
}

# One archive from one place. A half that is there is continued; one that does not fit is thrown away once.
download() { # ADDRESS SHA256 FILE
    local address=$1 sum=$2 file=$3 part=$3.part reason='' status=0 attempt before http left options
    if has_sum "$file" "$sum"; then return 0; fi
    rm -f "$file"
    if has_sum "$part" "$sum"; then
        mv "$part" "$file"
        return 0
    fi
    for attempt in 1 2 3 4; do
        before=$(size_of "$part")
        options=(--fail --silent --location --connect-timeout "$stall" --speed-limit 1 --speed-time "$stall")
        if ((limit > 0)); then
            left=$((limit - SECONDS))
            if ((left <= 0)); then
                reason=$(reason_of 28 0 "$file")
                break
            fi
            options+=(--max-time "$left")
        fi
        if ((before > 0)); then options+=(--continue-at "$before"); fi
        status=0
        http=$(curl "${options[@]}" --output "$part" --write-out '%{http_code}' "$address") || status=$?
        reason=
        if ((status == 0)); then
            if has_sum "$part" "$sum"; then
                mv "$part" "$file"
                return 0
            fi
            reason="its SHA-256 is $(sha256sum <"$part" | cut -d ' ' -f 1), and not $sum; it was thrown away"
        else
            reason=$(reason_of "$status" "$http" "$file")
        fi
        case $status in
        0 | 22 | 33 | 36) # wrong content, or a server that cannot go on in the middle: from the beginning, once
            rm -f "$part"
            ((before > 0)) || break
            ;;
        23)
            rm -f "$part"
            break
            ;;
        18 | 28 | 52 | 55 | 56 | 92) # broken off: again, if it brought something
            (($(size_of "$part") > before)) || break
            ;;
        *) break ;;
        esac
    done
    echo "$address: $reason"
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
