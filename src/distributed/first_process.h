// What the first process of an MPI run has of the others: archives whose locations are dealt out,
// and files of which each is read by one of them.
//
// The first process does all that is not named in archive_team.h and file_team.h, and reads its own
// share.
// Memory, besides: what Fetch() is asked for, some 20 MB of begins and ends of collectives, what
// files are asked for (capture_reading.h, ctf_elsewhere.h, text_elsewhere.h), and dealt_messages.h.
// Tested by: src/cli/distributed_command_test.cc, distributed_files_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "distributed/communicator.h"
#include "trace/archive_team.h"
#include "trace/file_team.h"

namespace syncline {

// To be called in the first process; the others ServeFirstProcess() until this is gone.
class FirstProcess : public ArchiveTeam, public FileTeam {
 public:
  explicit FirstProcess(Communicator& communicator) : communicator_(communicator) {}
  ~FirstProcess() override;
  FirstProcess(const FirstProcess&) = delete;
  FirstProcess& operator=(const FirstProcess&) = delete;

  std::unique_ptr<DealtArchive> Deal(const std::string& path, const Otf2Options& options,
                                     bool keeps_events) override;

  size_t processes() const override { return communicator_.shares(); }
  Asked Ask(size_t process, Format format, const Parcel& question) override;
  ParcelReader Answer(Asked asked) override;
  void DropAnswers() override;

 private:
  Communicator& communicator_;
  struct Questions {
    uint64_t asked = 0, received = 0;            // how many answers, too
    std::map<uint64_t, ParcelReader> answers{};  // that came before they were wanted
  };
  void Receive(size_t process, uint64_t count);

  std::map<size_t, Questions> questions_;  // by process
  uint32_t archives_ = 0;
};

}  // namespace syncline
