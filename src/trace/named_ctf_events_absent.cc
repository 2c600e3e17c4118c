#include "trace/named_events.h"

namespace syncline {

Result<void> ForEachNamedCtfEvent(const LoadedInput& input, const VisitNamedEvent& /*visit*/) {
  return Fail(ErrorCode::kUnsupported, "this build has no libbabeltrace2", input.input.path);
}

}  // namespace syncline
