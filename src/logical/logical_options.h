// What the logical clock filter can be told.
//
// Units: nanoseconds where a name ends in _ns.
#pragma once

#include <cstddef>
#include <cstdint>

#include "syncline/result.h"

#include "logical/amortizer.h"
#include "logical/controller_options.h"

namespace syncline {

enum class LogicalClockKind { kSimple, kControlled };
enum class AmortizationKind { kBackward, kNone };
enum class OutputOrder { kPerProcess, kGlobal };

struct LogicalOptions {
  LogicalClockKind clock = LogicalClockKind::kControlled;
  ControllerKind controller = ControllerKind::kRevised;
  RevisedControllerOptions revised;
  OriginalControllerOptions original;
  int64_t min_event_gap_ns = 0;  // δ ≥ 0, between successive events of a process
  AmortizationKind amortization = AmortizationKind::kBackward;
  AmortizationOptions amortizer;
  OutputOrder order = OutputOrder::kPerProcess;
  // How far the process of a message's other end may progress before the message is given up.
  int64_t max_horizon_ns = 10'000'000'000;  // negative: unlimited
  // With more events waiting than this, silent processes are no longer waited for.
  size_t lookahead = 65'536;
  // Online: no event waits longer than this, by the clock of Tick(). Negative: offline.
  int64_t max_wait_ns = -1;
  // Whether the report tells γ over time, too.
  bool keeps_gamma_over_time = false;
  friend bool operator==(const LogicalOptions&, const LogicalOptions&) = default;
};

// kUsage with the option that is out of range.
Result<void> CheckOptions(const LogicalOptions& options);

}  // namespace syncline
