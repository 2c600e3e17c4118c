#include "base/output_folder.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "base/replace_together.h"
#include "base/try.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> CannotCreate(const std::error_code& error, const std::string& path) {
  return Fail(ErrorCode::kUnreadable, fmt::format("cannot create the folder: {}", error.message()),
              path);
}

Result<void> CheckFree(const std::string& path, IfExists if_exists) {
  std::error_code ignored;
  if (if_exists == IfExists::kFail && fs::exists(fs::symlink_status(path, ignored))) {
    return Fail(ErrorCode::kUsage, "already exists (--force replaces it)", path);
  }
  return {};
}

}  // namespace

Result<OutputFolder> OutputFolder::Create(const std::string& path, IfExists if_exists) {
  std::string place = path;
  while (place.size() > 1 && place.ends_with('/')) place.pop_back();
  SYNCLINE_TRY(CheckFree(place, if_exists));
  std::error_code error;
  SYNCLINE_ASSIGN(auto above, MadeFolders::Make(fs::absolute(place, error).parent_path().string()));
  const HeldTemporaries held = HoldTemporaries();
  auto temporary = TemporaryFolder::Beside(place);
  if (!temporary) return CannotCreate(temporary.error(), place);
  OutputFolder folder(place, *std::move(temporary), if_exists, std::move(above));
  if (!fs::create_directory(folder.place(), error)) return CannotCreate(error, place);
  return folder;
}

Result<void> OutputFolder::Commit() {
  const Replacement change = Finish();
  return ReplaceTogether({&change, 1});
}

Result<MadeFolders> MadeFolders::Make(const std::string& path) {
  std::error_code error;
  std::vector<std::string> missing;
  for (fs::path p = fs::absolute(path, error).lexically_normal(); !fs::exists(p, error);
       p = p.parent_path()) {
    if (p.has_filename()) missing.push_back(p.string());
    if (!p.has_relative_path()) break;
  }
  const HeldTemporaries held = HoldTemporaries();
  fs::create_directories(path, error);
  for (const std::string& folder : missing) NoteMadeFolder(folder);
  MadeFolders made(std::move(missing));
  if (error) return CannotCreate(error, path);
  return made;
}

MadeFolders::~MadeFolders() {
  for (const std::string& folder : made_) {
    ::rmdir(folder.c_str());
    ForgetMadeFolder(folder);
  }
}

}  // namespace syncline
