// A line of progress on a terminal; nothing in a pipe.
#pragma once

#include <cstdint>
#include <string>

namespace syncline {

enum class ProgressMode { kOff, kOn };

// Writes to standard error, at most ten times a second, and only if that is a terminal.
class Progress {
 public:
  explicit Progress(ProgressMode mode);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  // A new step of which `total` units (bytes, say) have to be done; 0: unknown.
  void Begin(std::string step, uint64_t total);
  void Advance(uint64_t units) {
    done_ += units;
    if (is_on_ && done_ >= next_) Show();
  }

 private:
  void Show();
  bool is_on_ = false;
  std::string step_;
  uint64_t total_ = 0;
  uint64_t done_ = 0;
  uint64_t next_ = 0;
  int64_t shown_ms_ = 0;
};

}  // namespace syncline
