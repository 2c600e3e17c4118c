// What the logical clock filter found and did.
//
// Units: nanoseconds where a name ends in _ns. Valid at any time, complete after Finish().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "syncline/diagnostics.h"
#include "syncline/id.h"
#include "syncline/time.h"

#include "base/parcel.h"
#include "logical/logical_clocks.h"
#include "logical/rise.h"

namespace syncline {

struct ProcessReport {
  uint64_t events = 0;
  uint64_t moved = 0;
  int64_t last_advance_ns = 0;  // after − before at its last event
  int64_t largest_advance_ns = 0;
  std::optional<int64_t> least_interval_ns;  // of C between successive events; may be negative
};

// Durations in classes [2^(k−1), 2^k) ns; class 0 holds what is ≤ 0.
struct DelayClasses {
  std::array<uint64_t, 65> count = {};
  int64_t largest_ns = 0;
  void Add(int64_t ns);
  // The upper end of the class that holds the median; 0 for no delays.
  int64_t MedianAtMost() const;
};

struct LogicalReport {
  std::vector<ProcessReport> processes;
  uint64_t messages = 0;           // with both ends, broadcasts once per receive
  uint64_t collective_leaves = 0;  // that waited for somebody

  int64_t start_difference_ns = 0;  // what the amortization started from
  int64_t largest_jump_ns = 0;      // the largest clock difference seen
  // The first event whose jump exceeded start_difference_ns, by its time and process.
  struct Exceeded {
    ProcessId process;
    uint64_t tag = 0;
    GlobalTime before;
    int64_t jump_ns = 0;
  };
  std::optional<Exceeded> exceeded;

  GammaReport gamma;

  // Of cycles, which no times satisfy, what was set aside: of a message both ends, which are told
  // as of every other; of a collective an end and the beginning that it waited for.
  struct SetAside {
    ProcessId sender;
    uint64_t send_tag = 0;
    ProcessId receiver;
    uint64_t receive_tag = 0;
    int64_t delay_ns = 0;  // of C
  };
  struct Cycles {
    uint64_t messages = 0;
    uint64_t ends = 0;  // of collectives
    std::optional<SetAside> first;
    void Add(const SetAside& set_aside, bool is_of_collective);
  };
  Cycles cycles;

  uint64_t jumps = 0;            // receives at which LC' jumped
  uint64_t jumps_amortized = 0;  // of them spread backwards
  double largest_slope = 0;      // of an amortization: what it adds to a length, relative
  RiseEdge largest_slope_edge;   // exactly, of a replay
  ProcessId largest_slope_process;
  std::optional<uint64_t> largest_slope_tag;  // of its receive, where still known

  uint64_t unmatched_sends = 0;     // whose receive did not come
  uint64_t unmatched_receives = 0;  // that went on as internal events
  uint64_t forgotten_receives = 0;  // of them, too many to notice a send that comes after all
  uint64_t to_itself = 0;           // sends and receives within one process
  uint64_t ambiguous = 0;           // events named like others under way; taken as internal
  uint64_t given_up = 0;            // constraints no longer waited for: sends, enters, members
  uint64_t late_partners = 0;       // ends that came after they were given up
  uint64_t broken = 0;              // of them with the clock condition not met
  uint64_t out_of_order = 0;        // events too late for their place in the global order
  uint64_t saturated = 0;           // events so near the ends of time that µ or δ did not fit

  size_t peak_buffered = 0;  // events held at once; all of them in a replay
  DelayClasses added_delay;  // online: from arrival to delivery

  // The event's clock jumped.
  void AddJump(ProcessId process, uint64_t tag, GlobalTime before, int64_t jump_ns);

  // To the report of another share of the same trace (replay_team.h), which becomes that of both.
  void Put(Parcel& parcel) const;
  void Adopt(ParcelReader& parcel);

 private:
  void NoteExceeded(const Exceeded& here);
  bool IsSteeper(const LogicalReport& than) const;
};

// Counts what the report found: "unmatched-send", "unmatched-receive", "receives-forgotten",
// "message-to-itself", "ambiguous-message", "late-partner", "broken-constraint", "out-of-order",
// "time-saturated".
void CountFindings(const LogicalReport& report, Diagnostics& diagnostics);

}  // namespace syncline
