// The streaming logical clock on a text trace: lines in, lines with other times out, in one pass.
//
// Declarations, comments and empty lines go out at once, events once their times are final. All
// that was read is put out, also before an error in the input.
// Units: nanoseconds. Errors: those of reading and writing; a cycle of messages.
// Ownership: options, delays and progress must outlive the filter.
// Memory: the events that the logical clock holds, with their lines.
// Tested by: filter_command_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "syncline/clock.h"
#include "syncline/diagnostics.h"
#include "syncline/result.h"

#include "base/file.h"
#include "base/progress.h"
#include "logical/logical_filter.h"
#include "measure/change_over_time.h"
#include "measure/logical_figures.h"
#include "pipeline/correct/logical_adapter.h"
#include "pipeline/filter/event_lines.h"
#include "pipeline/filter/filter_delays.h"
#include "pipeline/filter/filter_output.h"
#include "read/text/text_reader.h"
#include "report/time_series.h"

namespace syncline {

struct TextFilterOptions {
  LogicalOptions logical;
  // The nominal time where to begin: events before it are left out.
  std::optional<int64_t> start_ns;
};

// What there is to report of a run.
struct FilterOutcome {
  LogicalReport report;
  LogicalFigures figures;
  std::optional<LogicalTimeline> timeline;  // where the options ask for what happens over time
  TraceSet traces;
  Diagnostics diagnostics;
};

// What a filter does between the bytes of a stream.
class StreamListener {
 public:
  virtual ~StreamListener() = default;
  // Before the next read, which will have to wait. Returns how long it may do so before this is
  // called again, in ms; negative: as long as it takes.
  virtual Result<int64_t> OnPause() = 0;
  // Bytes have come.
  virtual void OnBytes() = 0;
};

// Reads the input of a filter: files in blocks, pipes and devices as bytes come. `listener` must
// outlive the reader; a regular file does not call it.
TextReader ReadAsItComes(InputFile file, StreamListener& listener);

class TextFilter : public LogicalSink, public StreamListener {
 public:
  TextFilter(const TextFilterOptions& options, FilterDelays& delays, FilterOutput output,
             Progress& progress);

  // To be called once. Events are numbered without those left out.
  Result<FilterOutcome> Run(TextReader& reader);

  void OnEvent(const RetimedEvent& event) override;
  void OnMessage(const RetimedMessage& message) override { figures_.AddMessage(message); }
  Result<int64_t> OnPause() override;
  void OnBytes() override;

 private:
  struct Lane {
    EventLines lines;
    uint64_t numbered = 0;  // events so far
  };

  void TakeLines(TextReader& reader);
  void Declare(const TraceSet& traces);
  void TakeEvent(const TextReader& reader, const TextLine& line);
  bool IsOnline() const { return options_->logical.max_wait_ns >= 0; }
  void Tick();
  int64_t MsToNextRelease() const;
  FilterOutcome MakeOutcome(const TextReader& reader);

  const TextFilterOptions* options_;
  FilterDelays* delays_;
  FilterOutput output_;
  Progress* progress_;
  LogicalFigures figures_;
  ChangeOverTime changes_;  // empty unless asked for
  LogicalFilter filter_;
  LogicalAdapter adapter_;
  std::vector<Lane> lanes_;  // by process
  uint64_t left_out_ = 0;    // events
  int64_t now_ns_ = 0;       // online: the latest Tick()
};

}  // namespace syncline
