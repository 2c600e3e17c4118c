// In the place of otf2_trace_writer.cc where the OTF2 library is missing.
#include "simulate/otf2_trace_writer.h"

namespace syncline {

class Otf2TraceWriter::Archive {};

bool HasOtf2Writer() { return false; }

Result<Otf2TraceWriter> Otf2TraceWriter::Create(const std::string& /*folder*/,
                                                const Simulation& /*simulation*/,
                                                IfExists /*if_exists*/) {
  return Fail(
      ErrorCode::kUnsupported,
      "this build cannot write OTF2: the library libotf2 was missing when it was configured");
}

Otf2TraceWriter::Otf2TraceWriter(Otf2TraceWriter&&) noexcept = default;
Otf2TraceWriter::~Otf2TraceWriter() = default;
Result<void> Otf2TraceWriter::Write(const SimulatedEvent& /*event*/) { return {}; }
Result<void> Otf2TraceWriter::Finish() { return {}; }

}  // namespace syncline
