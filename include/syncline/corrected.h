// The times that every event gets: corrections, then the controlled logical clock where messages
// would still arrive before they were sent; and what the result is worth.
//
// Units and threads as estimate.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "syncline/diagnostics.h"
#include "syncline/estimate.h"
#include "syncline/event.h"
#include "syncline/export.h"
#include "syncline/message.h"
#include "syncline/result.h"
#include "syncline/traces.h"

namespace syncline {

struct CorrectOptions {
  // none: contradictions stay, and are reported; simple: events move forward; controlled: intervals
  // are kept as they were measured, as far as can be.
  enum class LogicalClock { kNone, kSimple, kControlled } logical = LogicalClock::kControlled;
  ProgressCallback progress = {};
};

struct MessageCounts {
  uint64_t total = 0;
  uint64_t inverted_before = 0, inverted_after = 0;  // received before they were sent
  uint64_t too_fast_before = 0, too_fast_after = 0;  // faster than the minimum delays
};

struct CorrectedState;

class SYNCLINE_EXPORT Corrected {
 public:
  // The corrected time of an event of the traces, as it would be written.
  GlobalTime TimeOf(const EventRef& event) const;
  MessageCounts messages() const;
  uint64_t events_moved() const;  // by the logical clock
  const Diagnostics& diagnostics() const;
  // Whether every guarantee holds: what exit code 0 says of the program, and 3 denies.
  bool AllGuaranteesHold() const;
  // The summary that `syncline sync` writes (docs/summary.md), and the report it prints.
  std::string ToJson() const;
  std::string ToText() const;

  // For this library's own use.
  explicit Corrected(std::shared_ptr<const CorrectedState> state) : state_(std::move(state)) {}
  const CorrectedState& state() const { return *state_; }

 private:
  std::shared_ptr<const CorrectedState> state_;
};

// Errors: those of reading the inputs again, temporary storage, kCancelled. `estimate` must be one
// of `traces`.
SYNCLINE_EXPORT Result<Corrected> Correct(const Traces& traces, const Estimate& estimate,
                                          const CorrectOptions& options = {});

struct WriteOptions {
  std::string folder =
      {};  // created where it is missing; gets the inputs' file names and syncline.json
  // Captures only: also all packets in one pcapng, in order of corrected time. Empty: none.
  std::string merged = {};
  std::string report = {};  // an HTML page of the run; empty: none
  // OTF2 and CTF: every timestamp is rewritten, also where clock offsets could say it.
  bool rewrites_events = false;
  bool replaces_existing = false;  // of what this library wrote; an input is never replaced
  ProgressCallback progress = {};
};

struct Written {
  std::vector<std::string> files = {};  // traces first, in the order of the inputs
  std::string summary_json = {};
};

// All appears, or nothing does. Errors: kUsage where an output exists or is an input; kUnreadable
// for what cannot be written, and where an input has changed since Load; kCancelled.
SYNCLINE_EXPORT Result<Written> Write(const Corrected& corrected, const WriteOptions& options);

}  // namespace syncline
