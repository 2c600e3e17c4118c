#include "write/ctf/trace_output.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

namespace syncline::ctf_write {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> SystemError(const std::error_code& error, const std::string& path) {
  return Fail(ErrorCode::kUnreadable, error.message(), path);
}

// A trace's folder holds its files and perhaps their index, nothing that is not the trace's.
bool HoldsOnlyATrace(const std::string& folder) {
  std::error_code error;
  bool has_metadata = false;
  bool is_empty = true;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    is_empty = false;
    const std::string name = entry.path().filename().string();
    has_metadata = has_metadata || name == "metadata";
    if (!entry.is_regular_file(error) && name != "index") return false;
  }
  return !error && (is_empty || has_metadata);
}

Result<void> CheckPlace(const std::string& folder, const std::string& input, IfExists if_exists) {
  std::error_code error;
  if (!fs::exists(folder, error)) return {};
  if (fs::equivalent(folder, input, error)) {
    return Fail(ErrorCode::kUsage, "is an input, and inputs are never overwritten", folder);
  }
  if (if_exists == IfExists::kFail) {
    return Fail(ErrorCode::kUsage, "already exists (--force replaces it)", folder);
  }
  if (!fs::is_directory(folder, error) || !HoldsOnlyATrace(folder)) {
    return Fail(ErrorCode::kUsage, "is no CTF trace, and is not replaced", folder);
  }
  return {};
}

}  // namespace

Result<TraceOutput> TraceOutput::Create(const std::string& folder, const std::string& input,
                                        IfExists if_exists) {
  if (auto free = CheckPlace(folder, input, if_exists); !free) return tl::unexpected(free.error());
  std::error_code error;
  const fs::path parent = fs::absolute(folder, error).lexically_normal().parent_path();
  fs::create_directories(parent, error);
  if (error) return SystemError(error, parent.string());
  for (unsigned attempt = 0; attempt < 1000; ++attempt) {
    const std::string temporary =
        folder + ".partial-" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
    if (::mkdir(temporary.c_str(), 0777) == 0) return TraceOutput(folder, temporary, if_exists);
    if (errno != EEXIST) break;
  }
  return Fail(ErrorCode::kUnreadable, std::string("cannot create: ") + std::strerror(errno),
              folder);
}

TraceOutput::~TraceOutput() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

Result<void> TraceOutput::Commit() {
  std::error_code error;
  const std::string old = temporary_ + "/old";
  const bool replaces = fs::exists(folder_, error);
  if (replaces && if_exists_ == IfExists::kFail) {
    return Fail(ErrorCode::kUsage, "already exists (--force replaces it)", folder_);
  }
  if (replaces) fs::rename(folder_, old, error);
  if (error) return SystemError(error, folder_);
  fs::rename(place(), folder_, error);
  if (!error) return {};
  std::error_code ignored;
  if (replaces) fs::rename(old, folder_, ignored);
  return SystemError(error, folder_);
}

}  // namespace syncline::ctf_write
