// What a merged capture says of each packet: which packet of which host is its other end, and how
// long it took between them.
//
// Units: nanoseconds of corrected time. Memory: 32 bytes per packet. Tested by:
// sync_command_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "syncline/id.h"
#include "syncline/result.h"

#include "estimate/group.h"
#include "measure/retiming.h"
#include "trace/load.h"

namespace syncline {

class PacketComments {
 public:
  // Errors: those of the message store.
  static Result<PacketComments> Make(const LoadedTraces& loaded, const GroupEstimate& estimate,
                                     const Retiming& retiming);

  // "received by b as packet 7 after 634.9 µs ± 683.9 µs", "sent by a as packet 7, took …"; empty
  // where the other end is not known. A packet that was passed on names where it came from.
  std::string Of(ProcessId capture, uint64_t packet) const;

 private:
  struct Peer {
    ProcessId capture;
    bool is_there = false;
    bool has_sent = false;  // the peer
    uint64_t packet = 0;
    int64_t delay_ns = 0;
    int64_t bound_ns = 0;  // INT64_MAX: open
  };
  std::vector<std::string> names_;        // by ProcessId
  std::vector<std::vector<Peer>> peers_;  // by ProcessId and packet
};

}  // namespace syncline
