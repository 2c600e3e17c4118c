#include "base/parallel.h"

#include <sched.h>

namespace syncline {
namespace {

std::atomic<size_t> cores_set = 0;

size_t BoundTo() {
  cpu_set_t bound;
  const bool is_known = ::sched_getaffinity(0, sizeof bound, &bound) == 0;
  return is_known ? static_cast<size_t>(CPU_COUNT(&bound)) : std::thread::hardware_concurrency();
}

}  // namespace

size_t Cores() {
  static const size_t bound_to = std::max<size_t>(1, BoundTo());
  const size_t set = cores_set;
  return set > 0 ? set : bound_to;
}

void SetCores(size_t count) { cores_set = count; }

}  // namespace syncline
