#include "base/memory.h"

#include <fstream>
#include <string>

#include <malloc.h>
#include <sys/resource.h>

namespace syncline {
namespace {

// A line "NAME:   N kB".
std::optional<uint64_t> StatusBytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    uint64_t kib = 0;
    if (word == name && status >> kib) return kib * 1024;
  }
  return std::nullopt;
}

bool BeginPeakAnew() {
  std::ofstream control("/proc/self/clear_refs");
  control << "5" << std::flush;
  return control.good();
}

}  // namespace

void GiveBackFreedMemory() { ::malloc_trim(0); }

MemoryMeter::MemoryMeter() {
  GiveBackFreedMemory();
  if (BeginPeakAnew()) before_ = StatusBytes("VmRSS:");
}

std::optional<uint64_t> MemoryMeter::PeakBytes() const {
  const std::optional<uint64_t> peak = before_ ? PeakResidentBytes() : std::nullopt;
  if (!peak) return std::nullopt;
  return *peak > *before_ ? *peak - *before_ : 0;
}

std::optional<uint64_t> PeakResidentBytes() { return StatusBytes("VmHWM:"); }

uint64_t PeakMemoryBytes() {
  struct rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace syncline
