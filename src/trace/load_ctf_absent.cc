// In place of load_ctf.cc where libbabeltrace2 is missing.
#include "trace/formats.h"

namespace syncline {

const TraceFormat kCtfFormat{
    .format = Format::kCtf,
    .name = "ctf",
    .load = [](auto inputs, const LoadRequest& /*request*/) -> Result<void> {
      return Fail(ErrorCode::kUnsupported, "this build cannot read CTF: libbabeltrace2 was missing",
                  inputs[0]->input.path);
    }};

}  // namespace syncline
