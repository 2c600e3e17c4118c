// A folder that comes into being only by Commit(): until then it has a temporary name beside its
// place, and disappears with this object.
//
// What stood in its place before is moved away first, restored when the renaming fails, and removed
// at the end. Errors: kUsage where the folder exists and may not be replaced; kUnreadable where the
// system refuses. Tested by: src/base/output_folder_test.cc.
#pragma once

#include <string>
#include <utility>

#include "syncline/result.h"

#include "base/file.h"

namespace syncline {

class OutputFolder {
 public:
  // The folder above must exist.
  static Result<OutputFolder> Create(const std::string& path, IfExists if_exists);
  OutputFolder(OutputFolder&& other) noexcept
      : path_(std::move(other.path_)),
        temporary_(std::exchange(other.temporary_, {})),
        if_exists_(other.if_exists_) {}
  OutputFolder& operator=(OutputFolder&&) = delete;
  ~OutputFolder();

  const std::string& path() const { return path_; }
  // An empty folder to be filled.
  std::string place() const { return temporary_ + "/new"; }
  Result<void> Commit();

 private:
  OutputFolder(std::string path, std::string temporary, IfExists if_exists)
      : path_(std::move(path)), temporary_(std::move(temporary)), if_exists_(if_exists) {}
  std::string path_;
  std::string temporary_;  // empty once committed or moved from
  IfExists if_exists_;
};

}  // namespace syncline
