// Writes a loaded CTF trace again with every event's corrected time.
//
// Times come from the retiming of the whole run; what a trace has of times besides events (where
// packets begin and end) is corrected alike.
// Errors: those of write/ctf/trace_writer.h; kUnsupported without libbabeltrace2.
// Tested by: ctf_events_test.cc.
#pragma once

#include <string>

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

// `truth` may be null.
Result<CtfEvents> WriteCtfEvents(const LoadedTraces& loaded, const LoadedInput& input,
                                 const GroupEstimate& estimate, const Retiming& retiming,
                                 const Truth* truth, const std::string& new_folder,
                                 IfExists if_exists);

}  // namespace syncline
