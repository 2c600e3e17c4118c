// In place of load_otf2.cc where libotf2 is missing.
#include "trace/formats.h"

namespace syncline {

const TraceFormat kOtf2Format{
    .format = Format::kOtf2,
    .name = "otf2",
    .recognises = LooksLikeOtf2,
    .load = [](auto inputs, const LoadRequest& /*request*/) -> Result<void> {
      return Fail(ErrorCode::kUnsupported, "this build cannot read OTF2: libotf2 was missing",
                  inputs[0]->input.path);
    }};

}  // namespace syncline
