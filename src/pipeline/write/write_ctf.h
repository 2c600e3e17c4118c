// Writes loaded CTF traces again with every event's corrected time.
//
// Times come from the retiming of the whole run; what a trace has of times besides events (where
// packets begin and end) is corrected alike. Processes of their own write, several traces at a time
// (base/child_process.h), because the library may abort where the disk is full.
// Requires: no other thread reads what is loaded. Errors: those of write/ctf/trace_writer.h;
// kUsage for outputs that exist; kUnreadable where the library fails; kUnsupported without
// libbabeltrace2. Nothing is left then.
// Tested by: ctf_events_test.cc, src/cli/ctf_full_disk_test.cc.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "syncline/diagnostics.h"
#include "syncline/result.h"

#include "base/file.h"
#include "base/output_folder.h"
#include "estimate/group.h"
#include "measure/retiming.h"
#include "measure/truth.h"
#include "pipeline/correct/process_retimer.h"
#include "trace/load.h"

namespace syncline {

struct CtfEvents {
  OutputFolder folder;  // complete, under a temporary name until Commit()
  ProcessRetimer::Figures figures;
  Diagnostics diagnostics;  // "events-raised"
};

struct CtfOutput {
  const LoadedInput* input = nullptr;
  std::string folder;  // to be made
};

// By output. `truth` may be null.
Result<std::vector<CtfEvents>> WriteCtfEvents(const LoadedTraces& loaded,
                                              const GroupEstimate& estimate,
                                              const Retiming& retiming, const Truth* truth,
                                              std::span<const CtfOutput> outputs,
                                              IfExists if_exists);

}  // namespace syncline
