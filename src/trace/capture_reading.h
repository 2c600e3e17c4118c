// One capture, read twice: surveyed, then prepared for matching (match/packet_matcher.h), here or,
// of an MPI run, in the process to which it was dealt.
//
// Packets come in batches that do not depend on who reads them. Errors: those of the reader and the
// matcher. Memory: of each capture being prepared a few batches of 4096 packets, 56 bytes each.
// Tested by: capture_reading_test.cc, src/cli/distributed_files_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "syncline/diagnostics.h"
#include "syncline/result.h"

#include "base/parcel.h"
#include "match/packet_matcher.h"
#include "trace/file_team.h"
#include "trace/load.h"
#include "trace/set_backs.h"

namespace syncline {

struct SurveyedCapture {
  ClockSpan span;
  SeenSetBacks set_backs;
  uint64_t events = 0;
  int64_t ticks_per_second = 0;
  Diagnostics diagnostics;

  static auto Members(auto& self) {
    return std::tie(self.span, self.set_backs, self.events, self.ticks_per_second,
                    self.diagnostics);
  }
};

// Of the file, more of it than at the last call; an error ends reading.
using OnBytesRead = std::function<Result<void>(uint64_t bytes)>;

Result<SurveyedCapture> SurveyCapture(const std::string& path, size_t capture,
                                      PacketMatcher& matcher, const OnBytesRead& on_bytes);

// A capture on its way to the matcher. To be used by one thread.
class PreparedCapture {
 public:
  using Batch = std::vector<PacketMatcher::Prepared>;

  virtual ~PreparedCapture() = default;
  // None at the end.
  virtual Result<std::optional<Batch>> Next() = 0;
};

// Read in a thread of its own. `matcher` and what on_bytes needs must outlive it.
std::unique_ptr<PreparedCapture> PrepareCapture(std::string path, size_t capture,
                                                PacketMatcher& matcher, OnBytesRead on_bytes);

// Captures that other processes read, which work on what they are asked meanwhile.
class CapturesElsewhere {
 public:
  // Has all of them surveyed. `captures`: all, `processes`: by whom each is read; 0: here.
  CapturesElsewhere(FileTeam& team, std::span<const Input* const> captures,
                    std::vector<size_t> processes);

  bool Has(size_t capture) const { return processes_[capture] != 0; }
  // What was found, of one after the other.
  Result<SurveyedCapture> TakeSurvey(size_t capture, PacketMatcher& matcher);
  std::unique_ptr<PreparedCapture> Prepare(size_t capture, PacketMatcher& matcher);

 private:
  FileQuestions questions_;
  std::vector<size_t> processes_;
  std::map<size_t, FileTeam::Asked> asked_;  // for surveys, by process
  std::map<size_t, ParcelReader> surveys_;   // the same
};

// `process`: how errors name it.
std::unique_ptr<FileServer> ServeCaptures(const std::string& process);

}  // namespace syncline
