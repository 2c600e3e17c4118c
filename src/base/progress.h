// How far a step has come: a line on a terminal, or calls of a function, which may also cancel.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "syncline/result.h"

namespace syncline {

enum class ProgressMode { kOff, kOn };

// At most ten times a second.
class Progress {
 public:
  // Called with the step and the share of it that is done, 0 where that is unknown. False cancels.
  using Callback = std::function<bool(const std::string& step, double share)>;

  // kOn: writes to standard error, if that is a terminal.
  explicit Progress(ProgressMode mode);
  explicit Progress(Callback callback);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  // A new step of which `total` units (bytes, say) have to be done; 0: unknown.
  void Begin(std::string step, uint64_t total);
  void Advance(uint64_t units) {
    done_ += units;
    if (is_on_ && done_ >= next_) Show();
  }
  // Errors: kCancelled once the callback has said so. May be called in any thread.
  Result<void> CheckGoesOn() const;

 private:
  void Show();
  bool is_on_ = false;
  Callback callback_;
  std::atomic<bool> is_cancelled_ = false;
  std::string step_;
  uint64_t total_ = 0;
  uint64_t done_ = 0;
  uint64_t next_ = 0;
  int64_t shown_ms_ = 0;
};

}  // namespace syncline
