# For scripts that compare `syncline sync` with other programs on the same traces: runs them in turn and
# prints wall times, CPU times and peak memory. Source it with `folder` and `runs` set, then call
# compare_programs with the names of functions that call measure once: the others, and syncline last.
# shellcheck shell=bash
# shellcheck disable=SC2154  # folder and runs are the caller's

# measure NAME COMMAND...: appends "NAME seconds user+sys-seconds peak-KiB" to the figures.
measure() {
  local name=$1 status=0 before
  shift
  before=$(date +%s%N)
  /usr/bin/time -o "$folder/time" -f '%U %S %M' "$@" >"$folder/output" 2>&1 || status=$?
  # syncline ends with 3 when it states a weakness; what it did is the same.
  if [ "$status" -ne 0 ] && [ "$status" -ne 3 ]; then
    cat "$folder/output" >&2
    exit "$status"
  fi
  tail -n 1 "$folder/time" | awk -v name="$name" -v ns=$(($(date +%s%N) - before)) \
    '{ printf "%s %.3f %.2f %d\n", name, ns / 1e9, $1 + $2, $3 }' | tee -a "$folder/figures"
}

compare_programs() {
  local program run
  echo "warming up"
  for program in "$@"; do "$program"; done
  : >"$folder/figures"
  echo "measuring: program, wall s, CPU s, peak KiB"
  for ((run = 0; run < runs; ++run)); do
    for program in "$@"; do "$program"; done
  done

  # Medians of the runs, and the ratios of the median wall times.
  sort -k1,1 -k2,2n "$folder/figures" | awk '
    !n[$1] { programs[++count] = $1 }
    { wall[$1, ++n[$1]] = $2; cpu[$1] += $3; if ($4 > peak[$1]) peak[$1] = $4 }
    END { printf "%-11s %10s %10s %10s %10s %12s\n", "program", "wall min", "median", "max", "CPU mean",
        "peak MiB"
      for (i = 1; i <= count; ++i) { p = programs[i]; m[p] = wall[p, int((n[p] + 1) / 2)]
        printf "%-11s %10.3f %10.3f %10.3f %10.2f %12.1f\n", p, wall[p, 1], m[p], wall[p, n[p]],
          cpu[p] / n[p], peak[p] / 1024 }
      for (i = 1; i <= count; ++i) { p = programs[i]
        if (p != "syncline")
          printf "syncline / %s: %.2f of the wall time (of the least: %.2f), %.2f of the CPU time\n", p,
            m["syncline"] / m[p], wall["syncline", 1] / wall[p, 1], cpu["syncline"] / cpu[p] } }'
}
