#!/bin/sh
# The two steps of the action: builds lrnn-check and its companions from this source, and runs it on
# every folder with a certificate at or below $PATHS, one path a line. Exit status 1 when one of
# them is not VERIFIED, or there is none.
# usage: check.sh build|check
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../../.." && pwd)
built=${CHECKERS:-$source/build/release}

build() {
    if [ "${INSTALL:-true}" = true ] && command -v apt-get >/dev/null 2>&1 &&
        ! printf '#include <gmp.h>\n' | gcc -E - >/dev/null 2>&1; then
        root=
        [ "$(id -u)" -eq 0 ] || root='sudo -n'
        $root apt-get update -q
        $root apt-get install -q -y --no-install-recommends gcc libc6-dev libgmp-dev make
    fi
    targets=
    for program in "$source"/theory/check/lrnn-check*.c; do
        name=${program##*/}
        targets="$targets build/release/${name%.c}"
    done
    # shellcheck disable=SC2086
    make -s -C "$source" NVCC= $targets
}

check() {
    cd "${GITHUB_WORKSPACE:-.}"
    list=$(mktemp)
    printf '%s\n' "${PATHS:-.}" >"$list.paths"
    trap 'rm -f "$list" "$list.paths"' EXIT
    while IFS= read -r path; do
        [ -z "$path" ] || find "$path" -name certificate.cert -type f >>"$list"
    done <"$list.paths"
    sort -u -o "$list" "$list"
    [ -s "$list" ] || {
        echo "check-network: no certificate.cert in: ${PATHS:-.}" >&2
        exit 1
    }
    failed=0
    while IFS= read -r certificate; do
        folder=${certificate%/*}
        echo "== $folder"
        "$built/lrnn-check" "$folder/automaton.fsa" "$folder/network.lrnn" "$certificate" ||
            failed=$((failed + 1))
    done <"$list"
    echo "check-network: $(wc -l <"$list") checked, $failed not VERIFIED"
    [ "$failed" -eq 0 ]
}

case ${1:-} in
build) build ;;
check) check ;;
*)
    echo 'usage: check.sh build|check' >&2
    exit 64
    ;;
esac
