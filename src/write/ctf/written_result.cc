#include "write/ctf/written_result.h"

#include <cstdint>
#include <filesystem>
#include <system_error>

namespace syncline {

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
