#include "write/ctf_metadata/clock_shifts.h"

#include <algorithm>
#include <limits>

#include "base/int128.h"

namespace syncline::ctf_metadata {
namespace {

constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
constexpr int64_t kMost = int64_t{1} << 60;

// d(a, b): shift(a) − shift(b) is at most that. The last node stands for all clocks that stay.
class Distances {
 public:
  Distances(const SlackTable& slacks, const std::vector<bool>& movable)
      : size_(slacks.clocks() + 1), values_(size_ * size_, kNone) {
    const size_t clocks = slacks.clocks();
    const auto node = [&](size_t clock) { return movable[clock] ? clock : clocks; };
    for (size_t a = 0; a < clocks; ++a) {
      for (size_t b = 0; b < clocks; ++b) {
        const int64_t slack = slacks.Least(a, b);
        if (slack == kNone) continue;
        at(node(a), node(b)) = std::min(at(node(a), node(b)), std::clamp(slack, -kMost, kMost));
      }
    }
    for (size_t i = 0; i < size_; ++i) at(i, i) = std::min<int64_t>(at(i, i), 0);
  }

  int64_t& at(size_t a, size_t b) { return values_[a * size_ + b]; }
  size_t size() const { return size_; }

  // False on a contradiction.
  bool Close() {
    for (size_t via = 0; via < size_; ++via) {
      for (size_t a = 0; a < size_; ++a) {
        if (at(a, via) == kNone) continue;
        for (size_t b = 0; b < size_; ++b) {
          if (at(via, b) == kNone) continue;
          const Int128 sum = static_cast<Int128>(at(a, via)) + at(via, b);
          at(a, b) = Saturate(std::min<Int128>(at(a, b), sum));
        }
        if (at(a, a) < 0) return false;
      }
    }
    return true;
  }

 private:
  size_t size_;
  std::vector<int64_t> values_;
};

// The least D for which all shifts can lie within ±D.
int64_t LeastRange(Distances& distances) {
  const size_t fixed = distances.size() - 1;
  int64_t range = 0;
  for (size_t a = 0; a < distances.size(); ++a) {
    for (size_t b = 0; b < distances.size(); ++b) {
      const int64_t d = distances.at(a, b);
      if (d >= 0) continue;
      const bool one_stays = a == fixed || b == fixed;
      range = std::max(range, one_stays ? -d : -d / 2 + (-d) % 2);
    }
  }
  return range;
}

}  // namespace

SlackTable::SlackTable(size_t clocks) : clocks_(clocks), least_(clocks * clocks, kNone) {}

void SlackTable::Add(size_t from, size_t to, int64_t slack_ns) {
  int64_t& least = least_[from * clocks_ + to];
  least = std::min(least, slack_ns);
}

std::optional<std::vector<int64_t>> LeastShifts(const SlackTable& slacks,
                                                const std::vector<bool>& movable) {
  Distances distances(slacks, movable);
  if (!distances.Close()) return std::nullopt;
  const int64_t range = LeastRange(distances);
  if (range >= kMost) return std::nullopt;
  const size_t fixed = slacks.clocks();
  const auto with_range = [range](int64_t d) {
    return d == kNone ? kNone : Saturate(static_cast<Int128>(d) + range);
  };
  std::vector<int64_t> shifts(slacks.clocks(), 0);
  for (size_t a = 0; a < shifts.size(); ++a) {
    if (!movable[a]) continue;
    int64_t latest = std::min(range, distances.at(a, fixed));
    int64_t earliest = std::min(range, distances.at(fixed, a));  // negated
    for (size_t b = 0; b < fixed; ++b) {
      latest = std::min(latest, with_range(distances.at(a, b)));
      earliest = std::min(earliest, with_range(distances.at(b, a)));
    }
    // Rounded down for all alike, which keeps every difference within its limit.
    shifts[a] = static_cast<int64_t>(FloorDiv(static_cast<Int128>(latest) - earliest, 2));
  }
  return shifts;
}

}  // namespace syncline::ctf_metadata
