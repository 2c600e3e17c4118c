// What a run is like: clocks, who talks to whom, how long messages take, how the recording lies.
//
// Units: nanoseconds, shares of 1; times of the run count from its start. Errors:
// std::invalid_argument. Tested by: clock_sweep_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "clock_model.h"

namespace syncline::sweep {

struct Interval {
  int64_t low = 0;
  int64_t high = 0;
};

struct Scenario {
  enum class Topology { kPair, kStar, kRing, kMesh };
  enum class Extra { kNone, kExponential, kPareto };

  Topology topology = Topology::kPair;
  size_t clocks = 2;
  size_t hub = 0;         // whom the others of a star ask
  size_t neighbours = 4;  // of each clock of a mesh
  int64_t length_ns = 600 * kNsPerSecond;
  uint64_t messages = 10'000;
  double one_way = 0.1;                      // share of the messages that nobody answers
  Interval least_delay = {50'000, 400'000};  // drawn for each direction of each pair
  Extra extra = Extra::kExponential;         // what each message takes longer
  double extra_ns = 100'000;                 // its mean, or Pareto's scale
  double shape = 1.5;                        // Pareto's
  size_t queues = 0;                         // that build up and drain, each in one direction
  int64_t queue_peak_ns = 0;
  int64_t queue_length_ns = 0;
  std::vector<Interval> silences;  // nobody sends
  double late_share = 0;           // sends stamped late, and by how much at most
  int64_t late_ns = 0;
  double wrong_share = 0;  // messages whose ids are exchanged at the receiver
  uint64_t id_wrap = 0;    // ids count modulo this; 0: they do not wrap
  double lost_share = 0;   // sends and receives that the recorder loses
  uint64_t seed = 1;
  std::vector<ClockModel> models;  // one per clock
  std::string out_dir;
};

// From NAME=VALUE arguments; `Usage()` says which. Clocks start up to ±offset apart and drift by up
// to ±drift, drawn from the seed.
Scenario ParseScenario(const std::vector<std::string>& arguments);
const char* Usage();

}  // namespace syncline::sweep
