// A text input, read in a thread of its own, in batches of the events that matching looks at.
//
// Events that are part of no message or collective are counted, and not handed out. Batches come in
// the order of the file and do not depend on the threads' timing. Units: as the reader.
// Errors: those of the reader, by reader().error() once Next() has returned none, after what stands
// before them. Destroying it early waits for the block that is being read, on a pipe for its
// writer. Memory: the reader's, its names of groups once more, and a few batches of 256 KiB. Cost:
// the reader's, and 10 ns per event that is handed out. Tested by: text_stream_test.cc (against the
// reader).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "syncline/clock.h"
#include "syncline/event.h"

#include "base/producer.h"
#include "base/progress.h"
#include "read/text/text_reader.h"
#include "trace/load.h"
#include "trace/set_backs.h"

namespace syncline {

struct TextBatch {
  struct NumberedEvent {
    Event event;         // its numbers are the reader's
    uint64_t index = 0;  // within the process
  };
  // What these events need of it, and no batch before had: all clocks and processes that were
  // declared before the last event of any kind, all groups and names before the last collective.
  TraceSet declared;
  std::vector<std::string> names;
  std::vector<NumberedEvent> events;
};

class TextStream {
 public:
  // Reads ahead. `progress` advances by bytes, in the other thread, until Next() returns none or
  // this is destroyed; it must live as long.
  // `before`: what processes of these names have stamped in inputs before this one.
  TextStream(TextReader reader, Progress& progress,
             std::map<std::string, SetBackFinder> before = {});

  // None at the end and at an error, which reader() then tells apart.
  std::optional<TextBatch> Next();

  // Once Next() has returned none: at the end of what it reads,
  const TextReader& reader() const { return reader_; }
  // and what each process has been seen to stamp.
  const std::vector<ClockSpan>& spans() const { return spans_; }
  // and where its readings go back, with those of inputs before.
  const std::vector<SetBackFinder>& set_backs() const { return set_backs_; }

 private:
  static constexpr size_t kBatchEvents = 4096;
  static constexpr size_t kBatchesAhead = 4;

  void ReadAll();
  void Take(const Event& event);
  void TakeProcesses();
  void TakeGroupsAndNames();
  bool Push();

  TextReader reader_;
  Progress& progress_;
  TextBatch batch_;
  std::vector<ClockSpan> spans_;
  std::map<std::string, SetBackFinder> before_;
  std::vector<SetBackFinder> set_backs_;  // by process
  // How many of the reader's have been handed out.
  size_t clocks_ = 0;
  size_t groups_ = 0;
  size_t names_ = 0;
  Producer<TextBatch> batches_{kBatchesAhead};  // the last, as it ends first
};

}  // namespace syncline
