// What the first process of an MPI run has of the others: archives whose locations are dealt out.
//
// The first process does all that is not named in archive_team.h, and reads its own share.
// Memory, besides: what Fetch() is asked for, and dealt_messages.h.
// Tested by: src/cli/distributed_command_test.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "distributed/communicator.h"
#include "trace/archive_team.h"

namespace syncline {

// To be called in the first process; the others ServeFirstProcess() until this is gone.
class FirstProcess : public ArchiveTeam {
 public:
  explicit FirstProcess(Communicator& communicator) : communicator_(communicator) {}
  ~FirstProcess() override;
  FirstProcess(const FirstProcess&) = delete;
  FirstProcess& operator=(const FirstProcess&) = delete;

  std::unique_ptr<DealtArchive> Deal(const std::string& path, const Otf2Options& options,
                                     bool keeps_events) override;

 private:
  Communicator& communicator_;
  uint32_t archives_ = 0;
};

}  // namespace syncline
