// What a stamp costs, against reading a clock alone, in the same run.
#include <benchmark/benchmark.h>

#include "syncline/stamp.h"

#include "record/counter/counter.h"

namespace syncline {
namespace {

void ClockGettime(benchmark::State& state) {
  const clockid_t clock = static_cast<clockid_t>(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(ReadSystemNs(clock));
}
BENCHMARK(ClockGettime)->ArgName("clock")->Arg(CLOCK_REALTIME)->Arg(CLOCK_MONOTONIC_RAW);

void FencedCounter(benchmark::State& state) {
  const CounterKind kind = InspectCounter().counters.front();
  for (auto _ : state) benchmark::DoNotOptimize(ReadCounter(kind));
}
BENCHMARK(FencedCounter);

class Recording {
 public:
  explicit Recording(syncline_stamp_when_full when_full) {
    syncline_stamp_options options = syncline_stamp_defaults();
    options.when_full = when_full;
    options.max_wait_ns = 0;
    status_ = syncline_stamp_start(&options);
    name_ = syncline_stamp_name("name");
    peer_ = syncline_stamp_peer("peer", "elsewhere");
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording() {
    syncline_stamp_stop();
    syncline_stamp_discard();
  }
  bool is_started() const { return status_ == SYNCLINE_STAMP_OK; }
  int name() const { return name_; }
  int peer() const { return peer_; }

 private:
  int status_ = 0;
  int name_ = 0;
  int peer_ = 0;
};

void StampMark(benchmark::State& state) {
  const Recording recording(SYNCLINE_STAMP_KEEP_NEWEST);
  if (!recording.is_started()) state.SkipWithError(syncline_stamp_error());
  for (auto _ : state) benchmark::DoNotOptimize(syncline_stamp_mark(recording.name()));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(StampMark);

void StampSend(benchmark::State& state) {
  const Recording recording(SYNCLINE_STAMP_KEEP_NEWEST);
  if (!recording.is_started()) state.SkipWithError(syncline_stamp_error());
  uint64_t message = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(syncline_stamp_send(recording.peer(), ++message, 64));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(StampSend);

// A full buffer that keeps its oldest: what a stamp costs that is refused.
void StampRefused(benchmark::State& state) {
  const Recording recording(SYNCLINE_STAMP_KEEP_OLDEST);
  while (syncline_stamp_mark(recording.name()) == SYNCLINE_STAMP_OK) {
  }
  for (auto _ : state) benchmark::DoNotOptimize(syncline_stamp_mark(recording.name()));
}
BENCHMARK(StampRefused);

}  // namespace
}  // namespace syncline
