// Reads a text trace (docs/formats/text.md) as a stream of events.
//
// Units: event times are ticks of the process's clock, which traces() describes; reading_ns is what
// the text says beyond a tick, else 0.
// Errors: the first broken line ends the reading: Next() is nullptr and error() says what was
// expected and what was found, with file, line and column (bytes, from 1). Counted in
// diagnostics() instead, because the trace stays usable: "time-steps-back".
// Cost: about 65 ns per event line. Memory: a buffer of 1.3 MB at most, and the declared clocks,
// processes and groups, and the distinct region, kind and group names, all of them together at most
// kMaxNameBytes; nothing grows with the number of events or messages.
// Tested by: text_reader_test.cc, text_reader_error_test.cc, fuzz/text_reader_fuzz.cc.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/hash/hash.h>
#include <absl/strings/string_view.h>

#include "syncline/clock.h"
#include "syncline/diagnostics.h"
#include "syncline/event.h"
#include "syncline/result.h"

#include "base/file.h"
#include "base/line_buffer.h"
#include "read/text/line_scanner.h"

namespace syncline {

// A line as it stands in the file, for copying it with other times.
struct TextLine {
  enum class Kind : uint8_t { kEmpty, kClock, kProcess, kGroup, kEvent };
  Kind kind = Kind::kEmpty;  // empty: blank or a comment alone
  std::string_view text;     // with the line's end, if it has one
  // Within text: from the '#' on, without the line's end; empty where there is none.
  std::string_view comment;
  // Within text: an event's TIME; a clock's TICKS_PER_SECOND and what follows. Else empty.
  std::string_view numbers;
};

// Names to dense numbers. Cost: a hash look-up of about 20 ns; the hash is seeded, so chosen names
// cannot make it slow.
class StringIndex {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // kNone when `name` was never inserted.
  uint32_t Find(std::string_view name) const {
    const auto it = numbers_.find(name);
    return it == numbers_.end() ? kNone : it->second;
  }
  void Insert(std::string_view name, uint32_t number) { numbers_.emplace(name, number); }

 private:
  // absl's own string hash takes std::string_view only where absl was built for C++17.
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view name) const {
      return absl::Hash<absl::string_view>{}(absl::string_view(name.data(), name.size()));
    }
  };
  absl::flat_hash_map<std::string, uint32_t, Hash, std::equal_to<>> numbers_;
};

// Ids of processes to dense numbers. Cost: an array look-up for ids of up to four digits; else a
// comparison when the id is the same as in the call before with the same Role, else a hash look-up.
class ProcessTable {
 public:
  static constexpr uint32_t kNone = StringIndex::kNone;
  // Whose id is looked up: the event's process or its peer; each has its own last look-up.
  enum class Role : uint8_t { kProcess, kPeer };

  ProcessTable() { by_number_.fill(kNone); }

  void Insert(std::string_view id, uint32_t process) {
    const size_t number = SmallNumber(id);
    if (number < by_number_.size()) {
      by_number_[number] = process;
    } else {
      by_id_.Insert(id, process);
    }
  }
  // kNone when `id` was never inserted.
  uint32_t Find(std::string_view id, Role role) {
    const size_t number = SmallNumber(id);
    if (number < by_number_.size()) return by_number_[number];
    Last& last = last_[static_cast<size_t>(role)];
    if (last.process != kNone && last.id == id) return last.process;
    const uint32_t process = by_id_.Find(id);
    if (process != kNone) {
      last.id = id;
      last.process = process;
    }
    return process;
  }

 private:
  struct Last {
    std::string id;
    uint32_t process = kNone;
  };

  // The value of a decimal number of up to four digits without leading zeros, else SIZE_MAX.
  static size_t SmallNumber(std::string_view id) {
    if (id.empty() || id.size() > 4 || (id[0] == '0' && id.size() > 1)) return SIZE_MAX;
    size_t value = 0;
    for (const char c : id) {
      const auto digit = static_cast<unsigned char>(c - '0');
      if (digit > 9) return SIZE_MAX;
      value = value * 10 + digit;
    }
    return value;
  }

  std::array<uint32_t, 10'000> by_number_{};
  StringIndex by_id_;
  std::array<Last, 2> last_;
};

class TextReader {
 public:
  static constexpr uint64_t kMaxNameBytes = uint64_t{256} << 20;

  // "-" is standard input.
  static Result<TextReader> Open(const std::string& path);
  static TextReader FromFile(InputFile file) { return TextReader(LineBuffer(std::move(file))); }
  // `text` must outlive the reader. Smaller blocks only move the places where lines are split.
  static TextReader FromMemory(std::string_view text, size_t block = kFileBlock);

  // Each line is read as soon as it is there. `name` is what errors call the stream.
  static TextReader FromStream(ReadSomeFunction read, std::string name);

  // The next event, valid until the next call; nullptr at the end or at an error.
  const Event* Next();
  // The same, line by line: the next line of any kind. For kEvent, event() is its event.
  const TextLine* NextLine();
  const Event& event() const { return event_; }
  // False where event() is a begin or an end of 0 bytes in a collective of a kind in which members
  // may move nothing.
  bool takes_part() const;
  // What event() calls its message, where that is no number; valid until the next line.
  std::string_view message_name() const { return message_name_; }
  // The number of the latest event within its process, from 0.
  uint64_t index() const { return progress_[event_.process.index()].events - 1; }

  const std::optional<Error>& error() const { return error_; }
  // Clocks, processes and groups declared so far, in order of declaration. Events name groups by
  // their names: a collective's group need not be declared.
  const TraceSet& traces() const { return traces_; }
  // What Event::name and Event::group are indices of; 0 is the empty name.
  const std::vector<std::string>& names() const { return names_; }
  const Diagnostics& diagnostics() const { return diagnostics_; }
  uint64_t bytes_read() const { return lines_.offset(); }
  // The number of the latest line, from 1.
  uint64_t line() const { return line_number_; }

 private:
  struct Progress {
    int64_t last_ticks = INT64_MIN;
    uint64_t events = 0;
    LocalTime earliest, latest;  // about the ends of those whose nominal time fits
  };

  explicit TextReader(LineBuffer lines);
  bool ReadLine(LineScanner& scan);
  bool ReadClock(LineScanner& scan);
  bool ReadProcess(LineScanner& scan);
  bool ReadGroup(LineScanner& scan);
  bool ReadMembers(LineScanner& scan, Group& group);
  bool ReadEvent(LineScanner& scan);
  bool ReadDetails(LineScanner& scan);
  bool ReadTransfer(LineScanner& scan, EventKind kind);
  bool ReadBroadcast(LineScanner& scan);
  bool ReadRegion(LineScanner& scan, EventKind kind);
  bool ReadCollective(LineScanner& scan);
  bool ReadBytes(LineScanner& scan, std::string_view expected);
  bool ReadPhase(LineScanner& scan);
  void CountEvent();
  void CheckRange();
  template <typename What>
  void CountDefect(std::string_view name, Severity severity, const What& what);

  // Each sets error_ where the line does not go on with what is expected.
  std::optional<int64_t> ExpectInteger(LineScanner& scan, std::string_view what);
  std::optional<ProcessId> ExpectProcess(LineScanner& scan, ProcessTable::Role role);
  std::optional<uint64_t> ExpectMessage(LineScanner& scan, std::string_view what);
  std::optional<uint32_t> ExpectGroup(LineScanner& scan);
  std::optional<uint32_t> ExpectName(LineScanner& scan, std::string_view what);
  std::optional<std::string_view> ExpectField(LineScanner& scan, std::string_view what);
  bool ExpectEnd(LineScanner& scan);
  bool Reserve(std::string_view text);
  bool FailAt(const char* where, std::string message);
  bool FailExpected(const LineScanner& scan, const char* where, std::string_view what);

  LineBuffer lines_;
  uint64_t line_number_ = 0;
  TextLine line_;
  Event event_;
  std::string_view message_name_;
  bool moves_nothing_ = false;  // of the latest collective event
  std::optional<Error> error_;
  Diagnostics diagnostics_;
  TraceSet traces_;
  std::vector<Progress> progress_;  // by ProcessId
  ProcessTable process_table_;
  StringIndex clock_table_;
  std::vector<uint64_t> clock_lines_;    // where each clock was declared
  std::vector<uint64_t> process_lines_;  // where each process was declared
  StringIndex group_table_;
  std::vector<uint64_t> group_lines_;  // where each group was declared
  std::vector<uint64_t>
      group_use_lines_;               // by name: where an event first had it as its group, or 0
  std::vector<uint32_t> last_group_;  // by ProcessId: how many groups there were with its last
  std::vector<std::string> names_ = {""};
  StringIndex name_table_;
  uint64_t name_bytes_ = 0;
};

}  // namespace syncline
