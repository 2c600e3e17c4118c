#include "write/ctf/written_result.h"

#include <cstdint>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

namespace syncline {

Error CtfWritingFailure(const std::string& reason, const std::string& folder) {
  return WithFullDisk(
      {ErrorCode::kUnreadable,
       fmt::format("cannot be written: the CTF library failed ({})", reason), folder},
      folder);
}

Error WithFullDisk(Error error, const std::string& folder) {
  constexpr uint64_t kFull = uint64_t{16} << 20;  // the sink asks for some MiB at a time
  std::error_code unknown;
  const auto space = std::filesystem::space(folder, unknown);
  if (unknown || space.available >= kFull) return error;
  // The sink has freed memory twice then, and the child's name of the file may have been in it.
  error.file = folder;
  error.message += "; the disk is full";
  return error;
}

}  // namespace syncline
