// In place of write_ctf.cc where libbabeltrace2 is missing.
#include "pipeline/write/write_ctf.h"

namespace syncline {

Result<CtfEvents> WriteCtfEvents(const LoadedTraces& /*loaded*/, const LoadedInput& input,
                                 const GroupEstimate& /*estimate*/, const Retiming& /*retiming*/,
                                 const Truth* /*truth*/, const std::string& /*new_folder*/,
                                 IfExists /*if_exists*/) {
  return Fail(ErrorCode::kUnsupported, "this build cannot write CTF: libbabeltrace2 was missing",
              input.input.path);
}

}  // namespace syncline
