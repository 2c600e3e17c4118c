// Reads one CTF 1.8 trace stream by stream, each in program order, through libbabeltrace2.
//
// The library's source component decodes; its muxer, which stops where a clock steps back, is not
// used. Each stream is read by itself, and different streams in any interleaving. Of a stream file
// that is cut off, the whole packets are read (readable_folder.h).
// Units: LocalTime counts the cycles of the stream's clock less CtfClock::origin.
// The library may abort, hang or take all memory on damaged traces: ctf_child.h reads in a process
// of its own.
// Requires: the trace does not change while it is read; all readers are in one thread.
// Errors: kUnreadable for missing files, kMalformed for what the library cannot make sense of,
// kUnsupported for CTF 2.
// Ownership: handles of the library are valid while the reader lives; an event until the next
// Next() of its stream.
// Cost: the library's decoding, some 300 ns per event, and 10 ns more.
// Tested by: ctf_reader_test.cc, ctf_bad_input_test.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "syncline/result.h"
#include "syncline/time.h"

#include "read/ctf/ctf_clock.h"
#include "read/ctf/readable_folder.h"

struct bt_clock_class;
struct bt_event;
struct bt_event_class;
struct bt_message;
struct bt_message_iterator;
struct bt_stream;
struct bt_trace;

namespace syncline {

struct CtfEventClass {
  std::string name;  // empty where the trace gives none
  const bt_event_class* handle = nullptr;
};

struct CtfEvent {
  LocalTime time;
  uint64_t cycles = 0;
  uint64_t index = 0;        // within the stream, from 0
  uint32_t event_class = 0;  // number in CtfReader::event_classes()
  const bt_event* handle = nullptr;
};

// What is wrong with a stream that can be read all the same.
struct CtfStreamDefects {
  uint64_t steps_back = 0;     // events with an earlier time than the one before
  uint64_t largest_step = 0;   // in cycles
  uint64_t first_step = 0;     // the number of the first such event
  uint64_t lost_events = 0;    // discarded by the tracer
  uint64_t lost_packets = 0;   // the same; their events are not among lost_events
  uint64_t out_of_range = 0;   // times that LocalTime cannot hold
  bool loss_is_least = false;  // the trace does not say how many at some places: one counts
  // An event, or a packet's begin or end, has an earlier time than what is ahead of it: readers
  // that merge streams stop there.
  bool is_out_of_order = false;

  static auto Members(auto& self) {
    return std::tie(self.steps_back, self.largest_step, self.first_step, self.lost_events,
                    self.lost_packets, self.out_of_range, self.loss_is_least, self.is_out_of_order);
  }
};

class CtfReader;

class CtfStream {
 public:
  // The next event, valid until the next call; nullptr at the end or on error().
  const CtfEvent* Next();
  const std::optional<Error>& error() const { return error_; }

  const std::string& file() const { return file_; }        // of its first packet
  const std::string& channel() const { return channel_; }  // the file's name without folders
  // The stream's clock in CtfReader::clocks(); none: its events have no times, and Next() gives
  // none of them.
  std::optional<uint32_t> clock() const { return clock_; }
  // Complete once Next() gave nullptr.
  const CtfStreamDefects& defects() const { return defects_; }

 private:
  friend class CtfReader;
  explicit CtfStream(const CtfReader& reader) : reader_(reader) {}
  bool FetchBatch();
  void ReleaseBatch();
  // True for an event.
  bool Take(const bt_message* message);
  void TakeEvent(const bt_message* message);
  void TakeLoss(const bt_message* message);
  void TakeBoundary(const bt_message* message);
  void KeepOrder(uint64_t cycles);

  const CtfReader& reader_;
  bt_message_iterator* iterator_ = nullptr;
  const bt_message** batch_ = nullptr;  // the iterator's
  uint64_t batch_size_ = 0;
  uint64_t batch_next_ = 0;
  uint64_t messages_ = 0;
  bool is_over_ = false;
  std::string file_;
  std::string channel_;
  std::optional<uint32_t> clock_;
  int64_t origin_ = 0;  // of the clock
  const bt_stream* handle_ = nullptr;
  const bt_event_class* last_class_ = nullptr;
  uint64_t last_cycles_ = 0;    // of an event
  uint64_t last_in_order_ = 0;  // of an event, or a packet's begin or end
  uint64_t next_index_ = 0;
  CtfEvent event_;
  CtfStreamDefects defects_;
  std::optional<Error> error_;
};

class CtfReader {
 public:
  // `folder` holds the file `metadata`. Streams without events or packets are left out.
  static Result<std::unique_ptr<CtfReader>> Open(const std::string& folder);
  static Result<std::unique_ptr<CtfReader>> Open(std::shared_ptr<const ReadableFolder> readable);
  ~CtfReader();
  CtfReader(const CtfReader&) = delete;
  CtfReader& operator=(const CtfReader&) = delete;

  const std::string& folder() const { return readable_->folder(); }
  // Where the trace without incomplete packets is, as long as somebody holds it.
  const std::shared_ptr<const ReadableFolder>& readable() const { return readable_; }
  // env.hostname, else env.host; empty where there is neither.
  const std::string& hostname() const { return hostname_; }
  // Text entries of the environment: "domain", "tracer_name", …; empty where there is none.
  std::string Environment(std::string_view name) const;
  const std::vector<CtfClock>& clocks() const { return clocks_; }
  // Makes LocalTime count from another cycle. To be called before events are read.
  void SetOrigin(uint32_t clock, int64_t origin);
  // In order of their files' names.
  std::vector<std::unique_ptr<CtfStream>>& streams() { return streams_; }
  // All classes of the streams' events, used or not.
  const std::vector<CtfEventClass>& event_classes() const { return event_classes_; }

 private:
  friend class CtfStream;
  struct Graph;
  explicit CtfReader(std::shared_ptr<const ReadableFolder> readable);
  Result<void> Start();
  Result<void> Describe();
  void ListEventClasses();
  Result<void> DescribeStream(CtfStream& stream);
  Result<uint32_t> ClockNumber(const bt_clock_class* clock_class);
  uint32_t EventClassNumber(const bt_event_class* event_class) const;

  std::shared_ptr<const ReadableFolder> readable_;
  uint64_t most_messages_ = 0;  // of a stream: those of one bit each
  std::string hostname_;
  const bt_trace* trace_ = nullptr;
  std::vector<const bt_clock_class*> clock_handles_;
  std::vector<CtfClock> clocks_;
  std::vector<CtfEventClass> event_classes_;
  std::vector<std::unique_ptr<CtfStream>> streams_;
  std::unique_ptr<Graph> graph_;
};

}  // namespace syncline
