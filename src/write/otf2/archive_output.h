// The place of a new OTF2 archive: a temporary folder beside it until Commit().
//
// An archive NAME is the anchor NAME.otf2, NAME.def, the folder NAME, and perhaps NAME.marker and
// thumbnails NAME.0.thumb and so on. They are made in one temporary folder and renamed together,
// the anchor last (base/replace_together.h). What no archive holds is never replaced. The temporary
// folder disappears with this object. Errors: kUsage where the output exists (unless it may be
// replaced), is the input, or holds something else; kUnreadable where the system refuses. Tested
// by: archive_output_test.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "syncline/result.h"

#include "base/file.h"
#include "base/temporaries.h"

namespace syncline::otf2_write {

class ArchiveOutput {
 public:
  // `input`: the anchor of an archive that must not be touched.
  static Result<ArchiveOutput> Create(const std::string& anchor, const std::string& input,
                                      IfExists if_exists);

  std::string name() const;  // NAME
  // The folder in which NAME.otf2 and the others are to be made.
  std::string place() const { return temporary_.path() + "/new"; }
  // An empty folder for anything else.
  std::string scratch() const { return temporary_.path() + "/scratch"; }
  // Another one, for several who write at a time, each in a folder of its own.
  std::string shares() const { return temporary_.path() + "/shares"; }
  Result<void> Commit();
  // Complete, to be committed with others.
  Result<std::vector<Replacement>> Finish() const;

 private:
  ArchiveOutput(std::string anchor, TemporaryFolder temporary, IfExists if_exists)
      : anchor_(std::move(anchor)), temporary_(std::move(temporary)), if_exists_(if_exists) {}
  std::string anchor_;
  TemporaryFolder temporary_;
  IfExists if_exists_;
};

// True for the names that files (and the folder) of archive `name` may have.
bool IsPartOf(std::string_view name, std::string_view file);
// For those of files in its folder: NUMBER.evt, NUMBER.def and NUMBER.snap.
bool IsPartOfFolder(std::string_view file);

// What stands in the place of archive `name` in a folder and is not of an archive: anything in the
// folder NAME but its files, and what should be a file and is none. The first one by name.
std::optional<std::string> ForeignPart(const std::string& folder, const std::string& name);

}  // namespace syncline::otf2_write
