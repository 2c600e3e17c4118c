// A folder that comes into being only by Commit(): until then it has a temporary name beside its
// place, and disappears with this object.
//
// What stood in its place before is removed. Errors: kUsage where the folder exists and may not be
// replaced; kUnreadable where the system refuses. Tested by: src/base/output_folder_test.cc.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "syncline/result.h"

#include "base/file.h"
#include "base/temporaries.h"

namespace syncline {

// A folder for outputs, made with all above it; what was made and is still empty disappears again.
class MadeFolders {
 public:
  static Result<MadeFolders> Make(const std::string& path);
  MadeFolders(MadeFolders&&) noexcept = default;
  MadeFolders& operator=(MadeFolders&&) noexcept = default;
  ~MadeFolders();

 private:
  explicit MadeFolders(std::vector<std::string> made) : made_(std::move(made)) {}
  std::vector<std::string> made_;  // the innermost first
};

class OutputFolder {
 public:
  // Folders above are made where they are missing, and disappear where nothing comes to be in them.
  static Result<OutputFolder> Create(const std::string& path, IfExists if_exists);

  const std::string& path() const { return path_; }
  // An empty folder to be filled.
  std::string place() const { return temporary_.path() + "/new"; }
  Result<void> Commit();
  // To be committed with others.
  Replacement Finish() const { return {place(), path_, if_exists_}; }

 private:
  OutputFolder(std::string path, TemporaryFolder temporary, IfExists if_exists, MadeFolders above)
      : path_(std::move(path)),
        if_exists_(if_exists),
        above_(std::move(above)),
        temporary_(std::move(temporary)) {}
  std::string path_;
  IfExists if_exists_;
  MadeFolders above_;
  TemporaryFolder temporary_;  // goes before those above, which go where they are empty
};

}  // namespace syncline
