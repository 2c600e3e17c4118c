#include "write/otf2/prepare_archive.h"

#include <filesystem>
#include <string>
#include <system_error>

#include "base/copy_file.h"

namespace syncline::otf2_write {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> PlacingError(const std::error_code& error, const fs::path& path) {
  return Fail(ErrorCode::kUnreadable, error.message(), path.string());
}

Result<void> Place(const fs::path& written, const fs::path& old, const fs::path& to) {
  std::error_code error;
  if (fs::exists(to, error)) return {};
  if (fs::exists(written, error)) {
    fs::rename(written, to, error);
    if (error) return PlacingError(error, to);
    return {};
  }
  if (old.extension() == ".evt") return LinkOrCopy(old.string(), to.string());
  return CopyFile(old.string(), to.string());
}

// The anchor, the global definitions, markers and thumbnails.
Result<void> PlaceMainFiles(const ArchiveSource& source, const ArchiveOutput& output,
                            SideFiles& side) {
  std::error_code error;
  const fs::path anchor = fs::absolute(source.anchor(), error);
  const std::string name = anchor.stem().string();
  for (const fs::directory_entry& entry : fs::directory_iterator(anchor.parent_path(), error)) {
    const std::string file = entry.path().filename().string();
    if (!IsPartOf(name, file) || !entry.is_regular_file(error)) continue;
    const std::string suffix = file.substr(name.size());
    const std::string new_file = "/" + output.name() + suffix;
    const fs::path written = suffix == ".otf2" ? fs::path() : fs::path(output.scratch() + new_file);
    SYNCLINE_TRY(Place(written, entry.path(), output.place() + new_file));
    if (suffix == ".marker") ++side.marker_files;
  }
  if (error) return PlacingError(error, anchor.parent_path());
  return {};
}

Result<void> PlaceFolder(const ArchiveSource& source, const ArchiveOutput& output,
                         SideFiles& side) {
  std::error_code error;
  const fs::path to = fs::path(output.place()) / output.name();
  const fs::path written = fs::path(output.scratch()) / output.name();
  fs::create_directory(to, error);
  if (error) return PlacingError(error, to);
  for (const fs::directory_entry& entry : fs::directory_iterator(source.folder(), error)) {
    const fs::path file = entry.path().filename();
    // What others keep there is not the archive's, nor ours to replace later.
    if (!IsPartOfFolder(file.string()) || !entry.is_regular_file(error)) continue;
    SYNCLINE_TRY(Place(written / file, entry.path(), to / file));
    if (file.extension() == ".snap") ++side.snapshot_files;
  }
  if (error) return PlacingError(error, source.folder());
  return {};
}

}  // namespace

Result<SideFiles> PlaceArchive(const ArchiveSource& source, const ArchiveOutput& output) {
  SideFiles side;
  SYNCLINE_TRY(PlaceMainFiles(source, output, side));
  SYNCLINE_TRY(PlaceFolder(source, output, side));
  return side;
}

}  // namespace syncline::otf2_write
