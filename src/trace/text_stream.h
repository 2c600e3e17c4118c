// A text input, read in a thread of its own, in batches of the events that matching looks at.
//
// Events that are part of no message or collective are counted, and not handed out. Batches come in
// the order of the file and do not depend on the threads' timing. Units: as the reader.
// Errors: those of the reader, by end().error, after what stands before them. Destroying it early
// waits for a batch at most, or 2^20 events with less than one; on a pipe for its writer.
// Memory: the reader's, its declarations and names once more, and a few batches of 256 KiB. Cost:
// the reader's, and 10 ns per event that is handed out. Tested by: text_stream_test.cc (against the
// reader).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "syncline/clock.h"
#include "syncline/diagnostics.h"
#include "syncline/event.h"
#include "syncline/result.h"

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

// What there is to know at the end of what could be read.
struct TextEnd {
  std::optional<Error> error;
  TraceSet declared;  // all
  Diagnostics diagnostics;
  // Of each process: what it has been seen to stamp,
  std::vector<ClockSpan> spans;
  // and where its readings go back, with those of inputs before if whoever read it knew of them.
  std::vector<SetBackFinder> set_backs;

  static auto Members(auto& self) {
    return std::tie(self.error, self.declared, self.diagnostics, self.spans, self.set_backs);
  }
};

// A text, wherever it is read.
class TextSource {
 public:
  virtual ~TextSource() = default;
  // None at the end and at an error.
  virtual std::optional<TextBatch> Next() = 0;
  // Once Next() has returned none.
  virtual const TextEnd& end() const = 0;
};

class TextStream : public TextSource {
 public:
  static constexpr size_t kBatchEvents = 4096;

  // Reads ahead. `progress` advances by bytes, in the other thread, until Next() returns none or
  // this is destroyed; it must live as long.
  // `before`: what processes of these names have stamped in inputs before this one.
  TextStream(TextReader reader, Progress& progress,
             std::map<std::string, SetBackFinder> before = {});

  std::optional<TextBatch> Next() override;
  const TextEnd& end() const override { return end_; }

 private:
  static constexpr size_t kBatchesAhead = 4;

  void ReadAll();
  void Take(const Event& event);
  void TakeProcesses();
  void TakeGroupsAndNames();
  bool Push();

  TextReader reader_;
  Progress& progress_;
  TextBatch batch_;
  TextEnd end_;
  std::map<std::string, SetBackFinder> before_;
  // How many of the reader's have been handed out.
  size_t clocks_ = 0;
  size_t groups_ = 0;
  size_t names_ = 0;
  Producer<TextBatch> batches_{kBatchesAhead};  // the last, as it ends first
};

}  // namespace syncline
