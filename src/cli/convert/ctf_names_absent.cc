#include "cli/convert/event_names.h"

namespace syncline {

Result<void> ForEachCtfEvent(const LoadedInput& input, const VisitNamedEvent& /*visit*/) {
  return Fail(ErrorCode::kUnsupported, "this build has no libbabeltrace2", input.input.path);
}

}  // namespace syncline
