# Set-up shared by ./demo, ./test and .ci/run. Source it from the repository's root, then call
#   install_missing demo|test|ci|packaging    to install the Debian packages that step needs and lacks.
# It also exports SYNCLINE_DATA, the folder of large test data: the variable's own value when it is
# set, else ../shared/data when that exists, else nothing (tests that need it are then skipped).
# shellcheck shell=bash

# What configuring and building the program needs.
demo_packages=(
  g++ cmake ninja-build ccache pkg-config
  libfmt-dev libabsl-dev libexpected-dev libcli11-dev nlohmann-json3-dev libsimdjson-dev libre2-dev
  coinor-libclp-dev libeigen3-dev libboost-dev zlib1g-dev libzstd-dev libssl-dev
  libopen-trace-format2-dev libbabeltrace2-dev
)
# What the tests are built of and run besides: other programs that read the same files, the schema
# checker, and what the page of the report is built and looked at with.
test_packages=("${demo_packages[@]}" libgtest-dev libgmock-dev libpcap-dev otf2-tools python3-otf2
  babeltrace2 lttng-tools liblttng-ust-dev tshark tcpdump python3 python3-jsonschema protobuf-compiler libopenmpi-dev
  openmpi-bin gfortran faketime iproute2 nodejs npm chromium groff-base zsh fish
  pybind11-dev python3-dev python3-numpy python3-pandas)
# What packages are made with besides.
# shellcheck disable=SC2034  # install_missing refers to it by name
packaging_packages=("${demo_packages[@]}" libopenmpi-dev pybind11-dev python3-dev dpkg-dev file)
# What the checks of .ci/run, the fuzz targets and the benchmarks need besides.
# shellcheck disable=SC2034  # install_missing refers to it by name
ci_packages=(
  "${test_packages[@]}" git time libbenchmark-dev
  clang-14 clang-format-14 clang-tidy-14 libclang-rt-14-dev lld-14 llvm-14
)

# Those of the packages given that are not installed, one per line. npm may also come with another
# package of nodejs than Debian's, which Debian's npm cannot stand beside.
missing_packages() {
  printf '%s\n' "$@" | grep -vxF -f <(
    dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null | sed -n 's/ installed$//p'
    ! command -v npm >/dev/null || echo npm
  ) || true
}

# Runs apt-get as root, without questions whatever stdin is.
run_apt_get() {
  local as_root=()
  [ "$(id -u)" -eq 0 ] || as_root=(sudo)
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get \
    -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@" </dev/null
}

install_missing() {
  local -n wanted="$1_packages"
  if ! command -v dpkg-query >/dev/null; then
    echo "This is not Debian: nothing is installed. Needed is what corresponds to: ${wanted[*]}" >&2
    return 0
  fi
  local missing
  mapfile -t missing < <(missing_packages "${wanted[@]}")
  [ "${#missing[@]}" -gt 0 ] || return 0
  if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
    echo "Missing packages, and neither root nor sudo to install them. As root, run:" >&2
    echo "  apt-get install --no-install-recommends ${missing[*]}" >&2
    return 1
  fi
  echo "== Installing missing Debian packages: ${missing[*]}"
  run_apt_get -qq update
  run_apt_get -qq -y --no-install-recommends install "${missing[@]}"
}

if [ -z "${SYNCLINE_DATA:-}" ] && [ -d ../shared/data ]; then
  SYNCLINE_DATA=$(cd ../shared/data && pwd)
fi
export SYNCLINE_DATA=${SYNCLINE_DATA:-}
