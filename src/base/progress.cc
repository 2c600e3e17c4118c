#include "base/progress.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace syncline {
namespace {

constexpr uint64_t kLookEvery = uint64_t{1} << 20;  // units between looks at the clock
constexpr int64_t kShowEveryMs = 100;

int64_t NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Progress::Progress(ProgressMode mode)
    : is_on_(mode == ProgressMode::kOn && ::isatty(STDERR_FILENO) == 1) {}

Progress::Progress(Callback callback)
    : is_on_(callback != nullptr), callback_(std::move(callback)) {}

Progress::~Progress() {
  if (is_on_ && !callback_ && shown_ms_ != 0) fmt::print(stderr, "\r\x1b[K");
}

void Progress::Begin(std::string step, uint64_t total) {
  step_ = std::move(step);
  total_ = total;
  done_ = 0;
  next_ = 0;
  if (is_on_) Show();
}

Result<void> Progress::CheckGoesOn() const {
  if (is_cancelled_) return Fail(ErrorCode::kCancelled, "cancelled");
  return {};
}

void Progress::Show() {
  next_ = done_ + kLookEvery;
  const int64_t now = NowMs();
  if (done_ != 0 && now - shown_ms_ < kShowEveryMs) return;
  shown_ms_ = now;
  if (callback_) {
    const double share = total_ == 0 ? 0 : static_cast<double>(done_) / static_cast<double>(total_);
    if (!callback_(step_, std::min(share, 1.0))) is_cancelled_ = true;
    return;
  }
  if (total_ > 0) {
    fmt::print(stderr, "\r\x1b[K{} {:3.0f} %", step_,
               100.0 * static_cast<double>(done_) / static_cast<double>(total_));
  } else {
    fmt::print(stderr, "\r\x1b[K{} …", step_);
  }
  std::fflush(stderr);
}

}  // namespace syncline
