// Texts that other processes of an MPI run read: what matching looks at, on its way to the first
// process.
//
// Each process reads its texts one after the other, while the first one reads its own, and keeps
// what it found until it is asked for. Errors: those of the reader, with the process; of a file
// that the other process sees otherwise; of temporary storage. Memory: in the other processes the
// reader's, and 16 MiB of packed batches (text_parcel.h); all that they find beyond lies in
// temporary disk space, until the last of their texts has been taken, or the run ends. Tested by:
// text_elsewhere_test.cc, src/cli/distributed_files_test.cc.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trace/file_team.h"
#include "trace/inputs.h"
#include "trace/text_stream.h"

namespace syncline {

class TextsElsewhere {
 public:
  // Has those read that others are dealt.
  TextsElsewhere(FileTeam& team, std::span<const Input* const> texts);

  bool Has(size_t text) const { return processes_[text] != 0; }
  // In the order of the texts, each once the one before has ended.
  std::unique_ptr<TextSource> Open(size_t text) const;

 private:
  FileQuestions questions_;
  std::vector<size_t> processes_;  // by text; 0: here
};

// `process`: how errors name it.
std::unique_ptr<FileServer> ServeTexts(const std::string& process);

}  // namespace syncline
