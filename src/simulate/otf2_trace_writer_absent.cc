// In the place of otf2_trace_writer.cc where the OTF2 library is missing.
#include "simulate/otf2_trace_writer.h"

namespace syncline {

bool HasOtf2Writer() { return false; }

Result<OutputFolder> WriteOtf2Trace(Simulation& /*simulation*/, const std::string& /*folder*/,
                                    IfExists /*if_exists*/) {
  return Fail(
      ErrorCode::kUnsupported,
      "this build cannot write OTF2: the library libotf2 was missing when it was configured");
}

}  // namespace syncline
