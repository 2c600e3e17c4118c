#include "record/counter/costs.h"

#include <algorithm>
#include <cstring>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace syncline {
namespace {

constexpr int kBatches = 300;
constexpr int kCallsPerBatch = 256;
constexpr int kColdCalls = 31;
constexpr int kStepReadings = 5000;

int64_t SystemCall() {
  timespec now = {};
  ::syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

template <clockid_t clock>
int64_t ClockGettime() {
  return ReadSystemNs(clock);
}

template <CounterKind kind>
int64_t Fenced() {
  return ReadCounter(kind);
}

#if defined(__x86_64__)
int64_t BareRdtsc() {
  uint64_t low = 0;
  uint64_t high = 0;
  __asm__ __volatile__("rdtsc" : "=a"(low), "=d"(high));
  return static_cast<int64_t>(high << 32 | low);
}

int64_t BareRdtscp() {
  uint64_t low = 0;
  uint64_t high = 0;
  __asm__ __volatile__("rdtscp" : "=a"(low), "=d"(high) : : "rcx");
  return static_cast<int64_t>(high << 32 | low);
}

// The third column of Table 1: ticks become microseconds by a division.
int64_t RdtscAndDivision() {
  static volatile uint64_t ticks_per_us = 2400;
  return static_cast<int64_t>(static_cast<uint64_t>(BareRdtsc()) / ticks_per_us);
}
#endif

template <int64_t (*read)()>
void ReadMany(int times) {
  for (int i = 0; i < times; ++i) {
    const int64_t reading = read();
    __asm__ __volatile__("" : : "r"(reading) : "memory");
  }
}

struct Reading {
  const char* name = "";
  int64_t (*read)() = nullptr;
  void (*read_many)(int) = nullptr;
  StepUnit step_unit = StepUnit::kNone;
};

template <int64_t (*read)()>
Reading Counting(const char* name) {
  return {name, read, ReadMany<read>, StepUnit::kTicks};
}
template <int64_t (*read)()>
Reading Telling(const char* name) {
  return {name, read, ReadMany<read>, StepUnit::kNanoseconds};
}

std::vector<Reading> Readings(const CounterFacts& facts) {
  std::vector<Reading> readings;
  for (const CounterKind kind : facts.counters) {
#if defined(__x86_64__)
    if (kind == CounterKind::kRdtscp) {
      readings.push_back(Counting<BareRdtscp>("RDTSCP"));
      readings.push_back(Counting<Fenced<CounterKind::kRdtscp>>("RDTSCP, LFENCE"));
    }
    if (kind == CounterKind::kRdtsc) {
      readings.push_back(Counting<BareRdtsc>("RDTSC"));
      readings.push_back(Counting<Fenced<CounterKind::kRdtsc>>("LFENCE, RDTSC, LFENCE"));
      readings.push_back(
          Reading{"RDTSC and a division", RdtscAndDivision, ReadMany<RdtscAndDivision>});
    }
#endif
    if (kind == CounterKind::kVirtualCount) {
      readings.push_back(Counting<Fenced<CounterKind::kVirtualCount>>("ISB, CNTVCT, ISB"));
    }
  }
  readings.push_back(Telling<ClockGettime<CLOCK_REALTIME>>("clock_gettime(REALTIME)"));
  readings.push_back(Telling<ClockGettime<CLOCK_MONOTONIC>>("clock_gettime(MONOTONIC)"));
  readings.push_back(Telling<ClockGettime<CLOCK_MONOTONIC_RAW>>("clock_gettime(MONOTONIC_RAW)"));
  readings.push_back(Telling<GetTimeOfDayNs>("gettimeofday"));
  readings.push_back(Telling<SystemCall>("clock_gettime as a system call"));
  return readings;
}

TickFigures FiguresOf(std::vector<double> ticks) {
  std::ranges::sort(ticks);
  return {std::max(0.0, ticks.front()), std::max(0.0, ticks[ticks.size() / 2])};
}

double TicksOf(CounterKind counter, void (*read_many)(int), int times) {
  const uint64_t before = static_cast<uint64_t>(ReadCounter(counter));
  read_many(times);
  return static_cast<double>(static_cast<uint64_t>(ReadCounter(counter)) - before);
}

void ReadNothing(int) {}

double LeastEmptyTicks(CounterKind counter) {
  // Through a pointer that the compiler cannot follow, as the others.
  void (*volatile nothing)(int) = ReadNothing;
  double least = TicksOf(counter, nothing, 1);
  for (int i = 0; i < 1000; ++i) least = std::min(least, TicksOf(counter, nothing, 1));
  return least;
}

TickFigures WarmCost(CounterKind counter, const Reading& reading, double empty_ticks) {
  std::vector<double> ticks;
  for (int i = 0; i < kBatches; ++i) {
    const double batch = TicksOf(counter, reading.read_many, kCallsPerBatch);
    ticks.push_back((batch - empty_ticks) / kCallsPerBatch);
  }
  return FiguresOf(std::move(ticks));
}

TickFigures ColdCost(CounterKind counter, const Reading& reading, double empty_ticks,
                     CacheEviction& eviction) {
  std::vector<double> ticks;
  for (int i = 0; i < kColdCalls; ++i) {
    eviction.Evict();
    ticks.push_back(TicksOf(counter, reading.read_many, 1) - empty_ticks);
  }
  return FiguresOf(std::move(ticks));
}

constexpr size_t kLine = 64;
constexpr size_t kCodeBytes = size_t{1} << 20;

size_t DataBytes() {
#if defined(_SC_LEVEL2_CACHE_SIZE)
  const long level2 = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
#else
  const long level2 = 0;
#endif
  constexpr size_t kLeast = size_t{4} << 20;
  constexpr size_t kMost = size_t{64} << 20;
  return std::clamp(2 * static_cast<size_t>(std::max(level2, 0L)), kLeast, kMost);
}

// Fills `code` with functions that return at once, one per cache line. False: unknown processor.
bool FillWithReturns(uint8_t* code) {
#if defined(__x86_64__)
  std::memset(code, 0xC3, kCodeBytes);
  return true;
#elif defined(__aarch64__)
  constexpr uint32_t kReturn = 0xD65F03C0;
  for (size_t i = 0; i < kCodeBytes; i += sizeof kReturn) {
    std::memcpy(code + i, &kReturn, sizeof kReturn);
  }
  __builtin___clear_cache(reinterpret_cast<char*>(code),
                          reinterpret_cast<char*>(code) + kCodeBytes);
  return true;
#else
  (void)code;
  return false;
#endif
}

}  // namespace

ReadingCosts MeasureReadingCosts(const CounterFacts& facts, CounterKind counter) {
  CacheEviction eviction;
  ReadingCosts costs = {.readings = {},
                        .evicted_data_bytes = eviction.data_bytes(),
                        .evicted_code_bytes = eviction.code_bytes()};
  const double empty_ticks = LeastEmptyTicks(counter);
  for (const Reading& reading : Readings(facts)) {
    const bool has_steps = reading.step_unit != StepUnit::kNone;
    costs.readings.push_back(
        {.name = reading.name,
         .warm = WarmCost(counter, reading, empty_ticks),
         .cold = ColdCost(counter, reading, empty_ticks, eviction),
         .steps = has_steps ? StepsOf(reading.read, kStepReadings) : StepFigures{},
         .step_unit = reading.step_unit});
  }
  return costs;
}

CacheEviction::CacheEviction() : data_(DataBytes()) {
  void* code =
      ::mmap(nullptr, kCodeBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (code == MAP_FAILED) return;
  code_ = code;
  if (!FillWithReturns(static_cast<uint8_t*>(code))) return;
  if (::mprotect(code, kCodeBytes, PROT_READ | PROT_EXEC) == 0) code_bytes_ = kCodeBytes;
}

CacheEviction::~CacheEviction() {
  if (code_ != nullptr) ::munmap(code_, kCodeBytes);
}

void CacheEviction::Evict() {
  for (size_t i = 0; i < data_.size(); i += kLine) {
    volatile uint8_t& byte = data_[i];
    byte = static_cast<uint8_t>(byte + 1);
  }
  const auto start = reinterpret_cast<uintptr_t>(code_);
  for (size_t i = 0; i < code_bytes_; i += kLine) reinterpret_cast<void (*)()>(start + i)();
}

}  // namespace syncline
