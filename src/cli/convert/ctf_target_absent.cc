// In place of write/ctf/exported_ctf.cc where libbabeltrace2 is missing.
#include "write/ctf/exported_ctf.h"

namespace syncline {

Result<ExportFindings> WriteExportedCtf(const ExportedTrace& /*trace*/,
                                        const std::string& /*folder*/) {
  return Fail(ErrorCode::kUnsupported, "--to ctf: this build has no libbabeltrace2");
}

}  // namespace syncline
