// In place of write/otf2/exported_archive.cc and archive_output.cc where libotf2 is missing.
#include "write/otf2/archive_output.h"
#include "write/otf2/exported_archive.h"

namespace syncline {

Result<ExportFindings> WriteExportedArchive(const ExportedTrace& /*trace*/,
                                            const std::string& /*folder*/) {
  return Fail(ErrorCode::kUnsupported, "--to otf2: this build has no libotf2");
}

// No archive is replaced.
std::optional<std::string> otf2_write::ForeignPart(const std::string& folder,
                                                   const std::string& name) {
  return folder + "/" + name;
}

}  // namespace syncline
