// A run of `syncline clock probe`: bursts of exchanges with hosts, and what they tell.
//
// Units: nanoseconds; drift in ppm. Sign: host − own. Cost: what the exchanges take; memory of
// some 200 bytes per burst and host.
// Tested by: src/cli/clock/probe_test.cc, probe_command_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "syncline/result.h"

#include "live/exchange/exchange_client.h"
#include "live/exchange/exchange_log.h"
#include "live/exchange/group_probe.h"
#include "live/exchange/host_estimate.h"

namespace syncline {

struct ProbePlan {
  std::string own;  // the name of this machine's clock
  struct Host {
    std::string name;
    Endpoint place;
  };
  std::vector<Host> hosts;
  std::optional<Endpoint> group;  // instead of hosts: whoever answers to it
  ClientOptions client;
  uint32_t exchanges = 10;  // per burst and host
  int64_t spacing_ns = 0;   // between questions
  uint64_t bursts = 5;
  int64_t interval_ns = 0;         // from burst to burst
  int64_t longest_ns = INT64_MAX;  // no burst begins later
  double max_drift_ppm = 200;
};

struct ProbedBurst {
  int64_t at_ns = 0;  // its last answer, own time
  BurstFigures figures;
  std::optional<HostOffset> estimate;  // of all bursts until then
  uint64_t contradictions = 0;         // that were seen in it
};

struct ProbedHost {
  std::string name;
  std::string address;
  ClientCounts counts;
  BurstFigures figures;
  std::array<uint64_t, 4> by_kernel = {};  // exchanges whose t1, …, t4 the kernels stamped
  std::vector<ProbedBurst> bursts;
  std::optional<HostOffset> estimate;
  std::vector<Contradiction> contradictions;  // the first ones; host_estimate.h
  uint64_t contradictions_seen = 0;
  // Of broadcasts, against the first host that answered; none for that one.
  std::optional<ReceptionDifference> reception;
};

struct ProbeResult {
  std::string own;
  double max_drift_ppm = 200;
  bool is_broadcast = false;
  ClientCounts group_counts;  // of broadcasts
  std::vector<ProbedHost> hosts;
  bool was_stopped = false;

  // In words, what is not guaranteed. Empty: all is.
  std::vector<std::string> Weaknesses() const;
  bool HasExchanges() const;
};

// Called after each burst with a host.
using OnBurst = std::function<void(const ProbedHost&)>;
// `log`: none where it is null.
Result<ProbeResult> Probe(const ProbePlan& plan, ExchangeLog* log, const OnBurst& on_burst);

// What a host's contradiction was, as a sentence without its end.
std::string ContradictionText(const ProbeResult& result, const ProbedHost& host,
                              const Contradiction& contradiction);

}  // namespace syncline
