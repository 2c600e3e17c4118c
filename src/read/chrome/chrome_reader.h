// Reads Chrome JSON (Trace Event Format): Kineto's and any other producer's, event by event.
//
// The file is an object with `traceEvents`, or an array of events, whose end may be missing. Events
// are numbered by tracks, one for each pid and tid, in the order of the file, which need not be
// that of time. A complete event ("X") that lasts is two instants, its begin and its end.
// Units: nanoseconds: microseconds · 1000 + baseTimeNanoseconds.
// Errors: kMalformed with the byte where the file is no JSON of this form; it is not checked that
// values which are not looked at are JSON, and where it is found that one is not may depend on the
// window. Diagnostics: "trace-cut-off", "event-without-time", "time-out-of-range",
// "element-not-an-event" (warning); "negative-duration", "time-finer-than-nanoseconds" (info).
// Cost: that of simdjson's on-demand parser and little more (bench/). Memory: the window, and 100
// bytes per track. Method: windows that end behind an event, which is guessed from the text and,
// where the parser contradicts, found byte by byte.
// Tested by: chrome_reader_test.cc, fuzz/chrome_fuzz.cc.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "syncline/diagnostics.h"
#include "syncline/result.h"

#include "base/decimal_counts.h"
#include "read/chrome/chrome_event.h"
#include "read/chrome/json_window.h"

namespace syncline {

// What stands beside the events.
struct ChromeHeader {
  std::optional<int64_t> base_ns;  // baseTimeNanoseconds
  bool is_base_late = false;       // it came behind events, and is not what these were read with
  bool is_array = false;           // nothing does
  // distributedInfo of PyTorch.
  bool is_distributed = false;
  std::optional<int64_t> rank;
};

struct ChromeReaderOptions {
  int64_t base_ns = 0;  // where the file says it behind the events, or not at all
  size_t window = JsonWindow::kBytes;
};

struct ChromeBatch;
struct DecimalTime;

class ChromeReader {
 public:
  using Options = ChromeReaderOptions;
  static Result<ChromeReader> Open(const std::string& path, const Options& options = {});
  static ChromeReader FromMemory(std::string_view text, const Options& options = {});
  ChromeReader(ChromeReader&&) noexcept;
  ~ChromeReader();

  // nullptr at the end and at an error.
  const ChromeEvent* Next();
  const std::optional<Error>& error() const { return error_; }
  // The event that Next() gave last, as it stands in the file.
  std::string_view EventText() const;

  // All bytes of the file in order, those of an event not before the Next() after it.
  void SetOnBytes(JsonWindow::OnBytes on_bytes) { window_.SetOnBytes(std::move(on_bytes)); }

  // Complete at the end.
  const std::vector<ChromeTrack>& tracks() const { return tracks_; }
  const ChromeHeader& header() const { return header_; }
  // What the times of the last event count from.
  int64_t base_ns() const { return base_ns_; }
  // The most decimals of a microsecond, 0 to 3, that a time or duration has.
  int decimals() const { return decimals_; }
  const DecimalCounts& time_decimals() const { return time_decimals_; }
  const DecimalCounts& duration_decimals() const { return duration_decimals_; }
  bool is_finer_than_ns() const { return finer_.count > 0; }
  Diagnostics diagnostics() const;
  uint64_t bytes_read() const { return window_.bytes_read(); }
  const std::string& path() const { return window_.path(); }

 private:
  enum class State : uint8_t {
    kBegin,         // of the file
    kKey,           // of the object that the file is, or its end
    kAfterValue,    // in it
    kElement,       // of the events, or their end
    kAfterElement,  // a comma or their end
    kEnd,
  };
  struct Finding {
    uint64_t count = 0;
    uint64_t first = 0;  // byte
    void Add(uint64_t offset) {
      if (count++ == 0) first = offset;
    }
  };
  ChromeReader(JsonWindow window, const Options& options);

  Result<const ChromeEvent*> Advance();
  Result<void> Step();
  Result<void> Begin(std::optional<char> next);
  Result<void> TakeKey(std::optional<char> next);
  Result<void> TakeField(const std::string& key);
  Result<void> TakeElement(std::optional<char> next);
  Result<void> BeginBatch();
  Result<bool> NextOfBatch();
  Result<bool> ResumeBehind(int error);
  Result<void> StopBatch();
  Result<void> TakeBaseTime(std::string_view value, uint64_t offset);
  void TakeDistribution(const std::string& value);
  Result<void> Place();
  void PlaceTimes();
  void Include(const DecimalTime& time, DecimalCounts& counts);
  uint32_t TrackOf(const ChromeEvent& event);
  tl::unexpected<Error> Malformed(std::string message, uint64_t offset) const;
  Result<void> CutOff();

  JsonWindow window_;
  std::unique_ptr<ChromeBatch> batch_;
  State state_ = State::kBegin;
  ChromeEvent event_;
  int64_t base_ns_;
  bool has_instants_ = false;
  bool is_single_ = false;     // the next batch is one event
  uint64_t single_until_ = 0;  // and so are those that begin before this byte
  ChromeHeader header_;
  std::vector<ChromeTrack> tracks_;
  absl::flat_hash_map<std::string, uint32_t> track_of_;
  std::array<uint32_t, 64> recent_tracks_{};  // by hash
  int decimals_ = 0;
  DecimalCounts time_decimals_, duration_decimals_;
  Finding without_time_, out_of_range_, not_an_event_, negative_, finer_, cut_off_;
  std::optional<Error> error_;
};

}  // namespace syncline
