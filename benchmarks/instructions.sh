#!/usr/bin/env bash
# Count instructions, branches and cache misses per agent activation. Needs valgrind, and a minute.
set -euo pipefail
cd "$(dirname "$0")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Valgrind knows no AVX-512: compile for an older processor, in a cache of its own.
export AMOEBOT_CACHE="$scratch" NUMBA_CPU_NAME=haswell NUMBA_CPU_FEATURES=""
python -c "from amoebot.bench import warm_up; warm_up()"
valgrind --quiet --tool=callgrind --instr-atstart=no --branch-sim=yes --cache-sim=yes \
    --smc-check=all-non-file --callgrind-out-file="$scratch/out" \
    python instructions.py >"$scratch/runs" 2>/dev/null

# What the dumps themselves cost is in the first one, and is taken off.
printf '%-10s %12s %12s %12s %12s\n' "" instructions branches mispredicted "L1 misses"
while read -r number name count; do
    read -r _ ir _ _ _ dr dw _ _ _ bc bcm _ _ < <(grep '^totals:' "$scratch/out.$number")
    if [[ $name == nothing ]]; then
        base=("$ir" "$bc" "$bcm" "$((dr + dw))")
        continue
    fi
    awk -v name="$name" -v n="$count" -v ir=$((ir - base[0])) -v b=$((bc - base[1])) \
        -v m=$((bcm - base[2])) -v d=$((dr + dw - base[3])) \
        'BEGIN { printf "%-10s %12.1f %12.1f %12.2f %12.3f\n", name, ir/n, b/n, m/n, d/n }'
done <"$scratch/runs"
