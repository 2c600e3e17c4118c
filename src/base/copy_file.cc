#include "base/copy_file.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

namespace syncline {

namespace fs = std::filesystem;

Result<void> CopyFile(const std::string& from, const std::string& to) {
  std::error_code error;
  fs::copy_file(from, to, error);
  if (error) {
    return Fail(ErrorCode::kUnreadable, fmt::format("cannot copy to {}: {}", to, error.message()),
                from);
  }
  return {};
}

Result<void> LinkOrCopy(const std::string& from, const std::string& to) {
  std::error_code error;
  fs::create_hard_link(fs::canonical(from, error), to, error);
  if (!error) return {};
  return CopyFile(from, to);
}

}  // namespace syncline
