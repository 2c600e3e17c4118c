// A recording of one process: who stamps, names and peers, calibration, and the text that becomes
// of it. The C interface (include/syncline/stamp.h) is a thin layer over the one that Global() is.
//
// Units: nanoseconds. Requires: Start() before everything else. Errors: a status of stamp.h, and
// what was wrong in words. Threads: any; all but stamps take a lock. Ownership: the recorder's logs
// belong to the program (thread_log.h); a recorder ends its recording before it goes.
// Tested by: recorder_test.cc, stamp_use_test.c.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "base/file.h"
#include "record/counter/frequency.h"
#include "record/stamp/recording_text.h"
#include "record/stamp/thread_log.h"

namespace syncline {

struct StampFailure {
  int status = 0;  // syncline_stamp_status
  std::string reason;
};
template <typename T>
using StampResult = tl::expected<T, StampFailure>;

inline tl::unexpected<StampFailure> Refusal(int status, std::string reason) {
  return tl::unexpected(StampFailure{status, std::move(reason)});
}

// Readings of the counter on the system's clock, as a burst tells them to its other end.

// What readings of the counter close to it are converted with.
struct SystemAnchor {
  Sighting sighting;  // of the system's clock
  Frequency frequency;
};
struct SystemReading {
  int64_t ns = 0;
  int64_t bound_ns = 0;
};
// The bound allows for a system's clock that is slewed by up to 500 ppm since the anchor, as the
// kernel does at most.
SystemReading OnSystemClock(const SystemAnchor& anchor, int64_t ticks);

struct RecorderOptions {
  std::string clock;
  std::string process;
  size_t events_per_thread = 65'536;
  WhenFull when_full = WhenFull::kKeepOldest;
  CounterWish counter = CounterWish::kAuto;
  Patience patience;
};

struct RecordingCounts {
  uint64_t kept = 0;
  uint64_t refused = 0;
  uint64_t overwritten = 0;
  uint64_t unregistered = 0;
  uint64_t bad_handles = 0;
  uint64_t not_running = 0;
};

class Recorder {
 public:
  static Recorder& Global();

  Recorder() = default;
  // `simulated` outlives the recorder, and takes the place of counter and clocks.
  explicit Recorder(TimeSources* simulated) : simulated_(simulated) {}
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder();

  StampResult<void> Start(const RecorderOptions& options);
  // Without a name: the process's, and a number.
  StampResult<void> RegisterThread(const std::optional<std::string>& name);
  StampResult<int32_t> Name(const std::string& name);
  // Without a clock: the recording's own.
  StampResult<int32_t> Peer(const std::string& thread, const std::optional<std::string>& clock);
  StampResult<void> Stop();
  StampResult<void> Discard();
  StampResult<void> Write(const std::string& path, IfExists if_exists);
  RecordingCounts Counts() const;
  // Until now, or until Stop().
  std::optional<Frequency> FrequencySoFar();

  // Counts a stamp outside of a recording or of its threads, and says which.
  int RefuseStamp();

  // For bursts: a number that no other question of this process has, and an anchor as of now. The
  // first anchor waits until the frequency is roughly known, some 100 µs.
  uint64_t NextQuestion() { return questions_.fetch_add(1); }
  StampResult<SystemAnchor> AnchorNow();

 private:
  enum class State { kIdle, kRunning, kStopped };
  struct Thread {
    std::string name;
    ThreadLog* log = nullptr;
  };

  StampResult<void> RequireRecording() const;
  StampResult<void> OpenSources(CounterWish wish);
  StampResult<void> AddThread(const std::string& name);
  std::string FreeThreadName() const;
  StampResult<EpochLine> LineUntil(const Calibration& calibration) const;
  StampResult<Recording> Snapshot();
  void Forget();

  TimeSources* simulated_ = nullptr;
  mutable std::mutex mutex_;
  std::atomic<State> state_ = State::kIdle;
  std::atomic<uint64_t> unregistered_ = 0;
  std::atomic<uint64_t> not_running_ = 0;
  std::atomic<uint64_t> questions_ = 0;
  HandleCounts handles_;

  RecorderOptions options_;
  CounterChoice counter_;
  std::unique_ptr<TimeSources> machine_;
  TimeSources* sources_ = nullptr;
  Sighting early_;
  Sighting anchor_;
  Calibration calibration_;  // of Stop()
  std::vector<Thread> threads_;
  std::vector<std::string> names_;
  std::map<std::string, int32_t> name_handles_;
  std::vector<RecordedPeer> peers_;
  std::map<std::string, int32_t> peer_handles_;  // by thread
};

// Whether `name` can stand as one word of a text trace, and is not too long.
bool IsStampName(std::string_view name);

}  // namespace syncline
