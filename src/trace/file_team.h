// Files that other processes of an MPI run read for the first one.
//
// What a format has read elsewhere it asks of a FileServer of its own, in the process that reads
// the file: by parcels, of which each format knows what they hold. Formats without one are read by
// the first process. All processes must see a file that is dealt out under the same path. One
// thread at a time. Tested by: file_team_test.cc, src/cli/distributed_files_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "syncline/result.h"

#include "base/parcel.h"
#include "trace/inputs.h"

namespace syncline {

// What the first process has of the others, which are numbered from 1.
class FileTeam {
 public:
  virtual ~FileTeam() = default;
  // With the first one.
  virtual size_t processes() const = 0;
  struct Asked {
    size_t process = 0;
    uint64_t number = 0;  // of the questions to it
  };
  virtual Asked Ask(size_t process, Format format, const Parcel& question) = 0;
  // To each question once, in any order. Those to questions behind it wait in the other process.
  virtual ParcelReader Answer(Asked asked) = 0;
  // Answers that nobody waits for any more.
  virtual void DropAnswers() = 0;
};

// Whoever asks has it, lest answers that it does not wait for are taken for others.
class FileQuestions {
 public:
  // Null: there are no others.
  explicit FileQuestions(FileTeam* team) : team_(team) {}
  ~FileQuestions() {
    if (team_ != nullptr) team_->DropAnswers();
  }
  FileQuestions(const FileQuestions&) = delete;
  FileQuestions& operator=(const FileQuestions&) = delete;

  FileTeam* team() const { return team_; }

 private:
  FileTeam* team_;
};

// In one of the others, of one format, until the run ends.
class FileServer {
 public:
  virtual ~FileServer() = default;
  virtual Parcel Answer(ParcelReader& question) = 0;
};

// That of this program's run; none where it is not set.
FileTeam* FileTeamOfThisRun();
void SetFileTeamOfThisRun(FileTeam* team);

// A file that every process has to see alike, as the first one does.
class DealtFile {
 public:
  DealtFile() = default;
  explicit DealtFile(std::string path);

  const std::string& path() const { return path_; }
  // Where it is another one here: kUnreadable. That it is missing is for its reader to say.
  Result<void> Check() const;

  static auto Members(auto& self) { return std::tie(self.path_, self.size_); }

 private:
  std::string path_;
  std::optional<uint64_t> size_;  // none: there is no such file
};

// By input: which process reads it, each the next one of whom has the least to read so far. What
// others would not find by its path stays with the first, number 0.
std::vector<size_t> DealFiles(std::span<const Input* const> inputs, size_t processes);

}  // namespace syncline
