// CTF traces that other processes of an MPI run read: the frames of the children there
// (read/ctf/ctf_child.h) on their way to the first process.
//
// Errors: those of the child, and of a folder that the other process sees otherwise. Memory: in
// both processes some MiB of frames per child. Tested by: ctf_elsewhere_test.cc,
// src/cli/distributed_files_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "syncline/result.h"

#include "base/child_process.h"
#include "base/parcel.h"
#include "read/ctf/ctf_child.h"
#include "trace/file_team.h"

namespace syncline {

// A child of another process.
class FramesElsewhere : public FrameChannel {
 public:
  // The `number`-th of `children` children there.
  FramesElsewhere(FileTeam& team, size_t process, size_t number, size_t children,
                  const ReadableFolders& traces, const std::vector<std::string>& fields);

  void Send(std::string_view frame) override;
  Result<std::string_view> Receive() override;

 private:
  void Ask(const Parcel& question);

  FileTeam& team_;
  size_t process_;
  uint64_t number_;
  std::optional<FileTeam::Asked> asked_;  // for the frames behind these
  std::optional<ParcelReader> frames_;
  std::optional<Error> failed_;  // behind them
  std::string frame_;
};

// `process`: how errors name it.
std::unique_ptr<FileServer> ServeCtfTraces(const std::string& process);

}  // namespace syncline
