#include "cli/convert/event_names.h"

namespace syncline {

Result<void> ForEachOtf2Event(const LoadedInput& input, size_t /*number*/,
                              const VisitNamedEvent& /*visit*/) {
  return Fail(ErrorCode::kUnsupported, "this build has no libotf2", input.input.path);
}

}  // namespace syncline
