#include "write/otf2/archive_output.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "base/replace_together.h"
#include "base/try.h"

namespace syncline::otf2_write {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> OutputError(std::string_view what, const std::error_code& error,
                                  const fs::path& path) {
  return Fail(ErrorCode::kUnreadable, fmt::format("{}: {}", what, error.message()), path.string());
}

// The files and the folder of archive `name` in a folder, the anchor at the end.
std::vector<std::string> Parts(const fs::path& folder, const std::string& name) {
  std::vector<std::string> parts;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string file = entry.path().filename().string();
    if (IsPartOf(name, file) && file != name + ".otf2") parts.push_back(file);
  }
  std::ranges::sort(parts);
  if (fs::exists(folder / (name + ".otf2"), error)) parts.push_back(name + ".otf2");
  return parts;
}

bool IsNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool IsEventFile(const fs::directory_entry& entry) {
  std::error_code error;
  return fs::is_regular_file(entry.symlink_status(error)) &&
         IsPartOfFolder(entry.path().filename().string());
}

Result<void> CheckReplaceable(const fs::path& folder, const std::string& name) {
  const std::optional<std::string> foreign = ForeignPart(folder.string(), name);
  if (!foreign) return {};
  return Fail(ErrorCode::kUsage, "is in the way and no part of an OTF2 archive: not replaced",
              *foreign);
}

Result<void> CheckPlace(const fs::path& anchor, const fs::path& input, IfExists if_exists) {
  std::error_code error;
  if (anchor.extension() != ".otf2" || anchor.stem().empty()) {
    return Fail(ErrorCode::kUsage, "the name of an OTF2 archive must end in .otf2",
                anchor.string());
  }
  const fs::path folder = anchor.has_parent_path() ? anchor.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error)) {
    return Fail(ErrorCode::kUnreadable, "there is no folder " + folder.string(), anchor.string());
  }
  for (const char* extension : {".otf2", ".def", ""}) {
    const fs::path part = fs::path(anchor).replace_extension(extension);
    if (!fs::exists(fs::symlink_status(part, error))) continue;
    if (fs::equivalent(part, fs::path(input).replace_extension(extension), error)) {
      return Fail(ErrorCode::kUsage, "is an input, and inputs are never overwritten",
                  part.string());
    }
    if (if_exists == IfExists::kFail) {
      return Fail(ErrorCode::kUsage, "already exists (--force replaces it)", part.string());
    }
  }
  return CheckReplaceable(folder, anchor.stem().string());
}

Result<TemporaryFolder> MakeTemporary(const std::string& anchor) {
  const HeldTemporaries held = HoldTemporaries();
  auto temporary = TemporaryFolder::Beside(anchor);
  if (!temporary) return OutputError("cannot create", temporary.error(), anchor);
  std::error_code error;
  for (const char* part : {"/new", "/scratch", "/shares", "/old"}) {
    fs::create_directory(temporary->path() + part, error);
    if (error) return OutputError("cannot create", error, temporary->path() + part);
  }
  return *std::move(temporary);
}

}  // namespace

Result<ArchiveOutput> ArchiveOutput::Create(const std::string& anchor, const std::string& input,
                                            IfExists if_exists) {
  SYNCLINE_TRY(CheckPlace(anchor, input, if_exists));
  SYNCLINE_ASSIGN(auto temporary, MakeTemporary(anchor));
  return ArchiveOutput(anchor, std::move(temporary), if_exists);
}

std::string ArchiveOutput::name() const { return fs::path(anchor_).stem().string(); }

Result<std::vector<Replacement>> ArchiveOutput::Finish() const {
  const fs::path folder = fs::absolute(anchor_).parent_path();
  const fs::path made = place();
  const std::vector<std::string> before = Parts(folder, name());
  if (if_exists_ == IfExists::kFail && !before.empty()) {
    return Fail(ErrorCode::kUsage, "already exists (--force replaces it)",
                (folder / before.front()).string());
  }
  SYNCLINE_TRY(CheckReplaceable(folder, name()));
  std::vector<Replacement> changes;
  const std::vector<std::string> parts = Parts(made, name());
  for (const std::string& part : before) {
    if (std::ranges::find(parts, part) != parts.end()) continue;
    changes.push_back({.temporary = temporary_.path() + "/old/" + part,
                       .place = (folder / part).string(),
                       .if_exists = if_exists_,
                       .is_removal = true});
  }
  for (const std::string& part : parts) {
    changes.push_back({(made / part).string(), (folder / part).string(), if_exists_});
  }
  return changes;
}

Result<void> ArchiveOutput::Commit() {
  const HeldTemporaries held = HoldTemporaries();
  SYNCLINE_ASSIGN(const std::vector<Replacement> changes, Finish());
  return ReplaceTogether(changes);
}

bool IsPartOf(std::string_view name, std::string_view file) {
  if (!file.starts_with(name)) return false;
  std::string_view rest = file.substr(name.size());
  if (rest.empty() || rest == ".otf2" || rest == ".def" || rest == ".marker") return true;
  if (!rest.starts_with('.') || !rest.ends_with(".thumb")) return false;
  rest = rest.substr(1, rest.size() - std::string_view(".thumb").size() - 1);
  return IsNumber(rest);
}

bool IsPartOfFolder(std::string_view file) {
  const size_t dot = std::min(file.find('.'), file.size());
  const std::string_view kind = file.substr(dot);
  return IsNumber(file.substr(0, dot)) && (kind == ".evt" || kind == ".def" || kind == ".snap");
}

std::optional<std::string> ForeignPart(const std::string& folder, const std::string& name) {
  std::error_code error;
  std::vector<std::string> foreign;
  for (const std::string& part : Parts(folder, name)) {
    const fs::path path = fs::path(folder) / part;
    const fs::file_status status = fs::symlink_status(path, error);
    if (part != name) {
      if (!fs::is_regular_file(status)) foreign.push_back(path.string());
      continue;
    }
    if (!fs::is_directory(status)) foreign.push_back(path.string());
    for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
      if (!IsEventFile(entry)) foreign.push_back(entry.path().string());
    }
  }
  const auto first = std::ranges::min_element(foreign);
  return first == foreign.end() ? std::nullopt : std::optional(*first);
}

}  // namespace syncline::otf2_write
