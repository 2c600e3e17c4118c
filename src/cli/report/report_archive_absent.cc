// In place of report_archive.cc where libotf2 is missing.
#include "cli/report/report_events.h"

namespace syncline {

// Never called: no archive was loaded.
Result<void> VisitArchive(const LoadedInput& /*input*/, const VisitEvent& /*visit*/) { return {}; }

}  // namespace syncline
