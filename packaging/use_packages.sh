#!/usr/bin/env bash
# What packaging/test does within the clean root: as root, in a shell of its own.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
cd /root
say() { printf '== %s\n' "$*"; }
install() { apt-get install -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 "$@" >/dev/null; }

say "the program alone"
install ./syncline_*.deb
syncline --version
syncline sync captures/{a,b}.pcap -o corrected --quiet
[ -s corrected/a.pcap ] && [ -s corrected/syncline.json ]
[ -s /usr/share/man/man1/syncline-sync.1 ]
[ -s /usr/share/bash-completion/completions/syncline ]
if ldd /usr/bin/syncline | grep 'not found'; then exit 1; fi

say "the library: examples against the installed headers"
install ./libsyncline1_*.deb ./libsyncline-dev_*.deb g++ cmake make pkg-config
cmake -S library -B examples >/dev/null
cmake --build examples >/dev/null
examples/correct_captures captures/a.pcap captures/b.pcap again
cmp corrected/a.pcap again/a.pcap
examples/own_messages
# shellcheck disable=SC2046  # words
g++ -std=c++20 library/own_messages.cc -o own $(pkg-config --cflags --libs syncline)
./own >/dev/null

grep -q "^libsyncline 1 libsyncline1" /var/lib/dpkg/info/libsyncline1*.shlibs

say "Python"
install ./python3-syncline_*.deb
python3 -c '
import syncline, numpy
result = syncline.sync(["captures/a.pcap", "captures/b.pcap"], "python", reference="a")
print(result, syncline.__file__)
assert (result.clocks["a"].correct(numpy.arange(3)) == numpy.arange(3)).all()'
cmp corrected/b.pcap python/b.pcap

say "the recorder of MPI programs"
install ./syncline-mpi_*.deb libopenmpi-dev openmpi-bin
mpicc -O1 -o halo mpi/halo.c -lm
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mpirun --oversubscribe -n 2 -x LD_PRELOAD=libsyncline_mpi.so -x SYNCLINE_MPI_OUT=trace ./halo >/dev/null
syncline check trace/traces.otf2 | head -2
cmp <(syncline check trace/traces.otf2) <(mpirun --oversubscribe -n 2 syncline-mpi check trace/traces.otf2)

say "the plugin for Babeltrace"
install ./babeltrace2-plugin-syncline_*.deb
babeltrace2 list-plugins | grep -A3 'syncline'

say "all go without a trace"
dpkg --purge python3-syncline libsyncline-dev libsyncline1 syncline-mpi babeltrace2-plugin-syncline syncline >/dev/null
[ -z "$(find /usr -name '*syncline*')" ] || { find /usr -name '*syncline*'; exit 1; }
