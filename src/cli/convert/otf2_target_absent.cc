// In place of write/otf2/exported_archive.cc where libotf2 is missing.
#include "write/otf2/exported_archive.h"

namespace syncline {

Result<ExportFindings> WriteExportedArchive(const ExportedTrace& /*trace*/,
                                            const std::string& /*folder*/) {
  return Fail(ErrorCode::kUnsupported, "--to otf2: this build has no libotf2");
}

}  // namespace syncline
