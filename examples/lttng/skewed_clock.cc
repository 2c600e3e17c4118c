// A clock for LTTng-UST that is wrong on purpose: the monotonic clock, SKEW_NS nanoseconds ahead
// when the process begins and SKEW_PPB parts per billion too fast from then on. Load it by
// LTTNG_UST_CLOCK_PLUGIN.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <lttng/ust-clock.h>

namespace {

int64_t skew_ns = 0;
int64_t skew_ppb = 0;
int64_t begin_ns = 0;

int64_t Number(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? 0 : std::strtoll(text, nullptr, 10);
}

int64_t MonotonicNs() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

uint64_t Read() {
  const int64_t ns = MonotonicNs();
  // Some hours fit.
  const int64_t gain = (ns - begin_ns) * skew_ppb / 1'000'000'000;
  return static_cast<uint64_t>(ns + skew_ns + gain);
}

// The rest is as LTTng describes the monotonic clock, which is what the session daemon writes into
// the metadata: it takes no part in the deception. The tracer refuses a clock without these.
uint64_t Frequency() { return 1'000'000'000; }
const char* Name() { return "monotonic"; }
const char* Description() { return "Monotonic Clock"; }
int Uuid(char* uuid) {
  std::memcpy(uuid, "3f0f6a5e-2d0c-4a53-9d1a-7a5d8c1b2e4f", LTTNG_UST_UUID_STR_LEN);
  return 0;
}

}  // namespace

extern "C" void lttng_ust_clock_plugin_init() {
  skew_ns = Number("SKEW_NS");
  skew_ppb = Number("SKEW_PPB");
  begin_ns = MonotonicNs();
  if (lttng_ust_trace_clock_set_read64_cb(Read) != 0 ||
      lttng_ust_trace_clock_set_freq_cb(Frequency) != 0 ||
      lttng_ust_trace_clock_set_uuid_cb(Uuid) != 0 ||
      lttng_ust_trace_clock_set_name_cb(Name) != 0 ||
      lttng_ust_trace_clock_set_description_cb(Description) != 0 ||
      lttng_ust_enable_trace_clock_override() != 0) {
    std::fprintf(stderr, "skewed_clock: LTTng-UST does not take another clock\n");
    std::abort();
  }
}
