// Which clock classes of CTF traces are one clock: those that count the same cycles on one host.
//
// LTTng samples the offset of the one counter that kernel and user-space tracers read anew for
// every trace, so offsets of one host's traces differ by microseconds. Clock classes of the same
// host and UUID are that counter, and their cycles are taken as they are; where one has no UUID,
// the epoch times that they claim are believed. Different frequencies or different UUIDs (another
// boot) make different clocks. The UUID tells nothing about hosts: clones share it.
// Tested by: host_clocks_test.cc.
#pragma once

#include <map>
#include <string>

#include "read/ctf/ctf_clock.h"
#include "trace/load.h"

namespace syncline {

class HostClocks {
 public:
  explicit HostClocks(LoadedTraces& loaded) : loaded_(loaded) {}

  // The clock of `host` that `clock` reads, made if there is none yet; its origin becomes the one
  // that leads to the ticks of that. `trace` is for diagnostics: "host-clock-offsets-differ" (info)
  // and "host-clocks-differ" (warning).
  ClockId Join(const std::string& host, CtfClock& clock, const std::string& trace);

 private:
  ClockId Define(const std::string& name, const CtfClock& clock);
  bool JoinAs(ClockId known, CtfClock& clock, const std::string& trace);

  LoadedTraces& loaded_;
  std::map<ClockId, CtfClock> first_;  // the clock class for which a clock was made
};

}  // namespace syncline
