// What it costs to measure the offsets of very many clocks, and how far they are wrong then: three
// strategies of a group, simulated without a trace.
//
// root: every process exchanges with process 0, one after the other; n − 1 rounds. tree: in round r
// the processes from 2^r to 2^(r+1) − 1 exchange with the one that is 2^r before them, all at the
// same time, and are told its offset; ⌈log2 n⌉ rounds. broadcast: processes 1 and 2 transmit in
// turn to all, who compare when they received it with when process 0 did, and process 0 tells its
// times once; 2K + 1 messages whatever n is, and no process's error depends on another's. Root and
// tree take from each burst of K exchanges the fastest one: offset = half of (way there − way
// back), as Cristian does. Broadcast takes the mean over all transmissions. Units: nanoseconds;
// drifts as named. Sign: error = measured − true offset, against process 0's clock, at the end of
// the last round: until then clocks drift on. Bounds: half the round trip beyond twice the minimum
// delay, plus what clocks may have drifted since; along a tree they add up. Nothing bounds a
// comparison of receive times: no bound for broadcast. Ways take the least delay, an exponentially
// distributed excess, and what is drawn once per way. Not in the model: a network that many
// exchanges at a time make slower, and clocks whose rate changes. Requires: what Check() accepts.
// Cost: 20 ns per process and exchange; memory: tree 24 bytes per process, others nothing. The same
// on every machine. Tested by: scale_test.cc (against a naive simulation of every stamp, and
// against expectations).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "syncline/result.h"

#include "simulate/random.h"

namespace syncline {

enum class GroupStrategy : uint8_t { kRoot, kTree, kBroadcast };
inline constexpr std::array kGroupStrategies = {GroupStrategy::kRoot, GroupStrategy::kTree,
                                                GroupStrategy::kBroadcast};
const char* NameOf(GroupStrategy strategy);

inline constexpr uint64_t kMaxScaleProcesses = 10'000'000;

struct ScaleModel {
  uint32_t exchanges = 10;            // K
  int64_t exchange_cost_ns = 12'300;  // from the beginning of one to that of the next
  int64_t broadcast_cost_ns = 60'000;
  int64_t least_delay_ns = 3'800;
  int64_t mean_excess_ns = 2'100;   // of delays, beyond the least
  Range route_ns;                   // more for each way, drawn once
  int64_t spread_ns = 14'000;       // mean excess with which a receiver stamps a broadcast
  int64_t drift_ppt = 50'000'000;   // drifts are drawn from −this to this
  int64_t max_drift_ppb = 200'000;  // what bounds allow any two clocks to differ by
  int64_t min_delay_ns = 0;         // what bounds take for granted
  uint32_t runs = 10;
  uint64_t seed = 1;
};

// Errors: kUsage, where a value is out of range or bounds would take for granted what is not true.
Result<void> Check(const ScaleModel& model);

struct ScaleFigures {
  GroupStrategy strategy = GroupStrategy::kRoot;
  uint64_t processes = 0;
  uint64_t rounds = 0;
  uint64_t messages = 0;
  int64_t time_ns = 0;
  // Over all processes but process 0, and all runs.
  double rms_error_ns = 0;
  int64_t largest_error_ns = 0;
  std::optional<int64_t> worst_bound_ns;
  uint64_t outside_bound = 0;  // errors beyond the process's own bound; none is
};

// Nothing where the strategy needs more processes: broadcast takes three.
// Errors: kUsage, where the rounds would take more than 2^55 ns (417 days).
Result<std::optional<ScaleFigures>> SimulateScale(const ScaleModel& model, GroupStrategy strategy,
                                                  uint64_t processes);

}  // namespace syncline
