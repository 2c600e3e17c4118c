#include "record/counter/counter.h"

#include <fstream>
#include <string_view>

#include <sys/utsname.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace syncline {
namespace {

std::string FirstLine(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string ProcessorModel() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const size_t value = line.find_first_not_of(" \t:", std::string_view("model name").size());
    return value == std::string::npos ? "" : line.substr(value);
  }
  return "";
}

std::string KernelVersion() {
  utsname names = {};
  if (::uname(&names) != 0) return "";
  return std::string(names.sysname) + " " + names.release + " " + names.machine;
}

bool ListsWord(const std::string& list, std::string_view word) {
  const std::string padded = " " + list + " ";
  return padded.find(" " + std::string(word) + " ") != std::string::npos;
}

#if defined(__x86_64__)
CounterFacts AskProcessor() {
  CounterFacts facts;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  constexpr unsigned kTscBit = 1U << 4;
  constexpr unsigned kHypervisorBit = 1U << 31;
  constexpr unsigned kRdtscpBit = 1U << 27;
  constexpr unsigned kInvariantBit = 1U << 8;
  const bool has_tsc = __get_cpuid(1, &a, &b, &c, &d) != 0 && (d & kTscBit) != 0;
  facts.is_virtual_machine = (c & kHypervisorBit) != 0;
  if (!has_tsc) return facts;
  if (__get_cpuid(0x80000001, &a, &b, &c, &d) != 0 && (d & kRdtscpBit) != 0) {
    facts.counters.push_back(CounterKind::kRdtscp);
  }
  facts.counters.push_back(CounterKind::kRdtsc);
  facts.is_invariant = __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & kInvariantBit) != 0;
  return facts;
}
constexpr const char* kKernelName = "tsc";
#elif defined(__aarch64__)
CounterFacts AskProcessor() {
  CounterFacts facts;
  // The architecture's generic timer: one frequency, the same on all cores.
  facts.counters.push_back(CounterKind::kVirtualCount);
  facts.is_invariant = true;
  return facts;
}
constexpr const char* kKernelName = "arch_sys_counter";
#else
CounterFacts AskProcessor() { return {}; }
constexpr const char* kKernelName = "";
#endif

}  // namespace

const char* CounterName(CounterKind kind) {
  switch (kind) {
    case CounterKind::kRdtscp: return "RDTSCP";
    case CounterKind::kRdtsc: return "RDTSC";
    case CounterKind::kVirtualCount: return "CNTVCT";
    case CounterKind::kSystemClock: return "CLOCK_MONOTONIC_RAW";
  }
  return "";
}

CounterFacts InspectCounter() {
  CounterFacts facts = AskProcessor();
  facts.processor = ProcessorModel();
  facts.kernel = KernelVersion();
  facts.counters.push_back(CounterKind::kSystemClock);
  const std::string folder = "/sys/devices/system/clocksource/clocksource0/";
  facts.clock_source = FirstLine((folder + "current_clocksource").c_str());
  const std::string available = FirstLine((folder + "available_clocksource").c_str());
  facts.is_trusted_by_kernel = available.empty() || ListsWord(available, kKernelName);
  return facts;
}

Result<CounterChoice> ChooseCounter(const CounterFacts& facts, CounterWish wish) {
  constexpr CounterKind kSystem = CounterKind::kSystemClock;
  if (wish == CounterWish::kSystem) return CounterChoice{kSystem, "as asked for"};
  const CounterKind best = facts.counters.empty() ? kSystem : facts.counters.front();
  std::string why_not;
  if (best == kSystem) {
    why_not = "this processor has no counter that programs can read";
  } else if (!facts.is_invariant) {
    why_not = "the processor's counter changes its rate with the processor's states";
  } else if (!facts.is_trusted_by_kernel) {
    why_not = "the kernel has found the processor's counter unsteady";
  }
  if (why_not.empty()) return CounterChoice{best, "invariant, and not rejected by the kernel"};
  if (wish == CounterWish::kAuto) return CounterChoice{kSystem, why_not};
  return Fail(ErrorCode::kUnsupported, why_not);
}

}  // namespace syncline
