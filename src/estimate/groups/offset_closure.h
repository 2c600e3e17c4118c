// What messages say about constant offsets between any number of clocks, tightened over all chains
// of clocks.
//
// Let x(i) be what has to be added to the times of clock i. A message from k to i that seems to
// take d ns, less its minimum delay, demands x(k) − x(i) ≤ d. So the greatest x(k) − x(i) is the
// shortest path from i to k, and the least is minus the one back: O⁻(i,k) and O⁺(i,k) of Hofmann
// and Hilgers. There are such x only if no path from a clock to itself is negative, a test that
// their algorithm lacks (Rabenseifner's report, 7.6).
// Units: nanoseconds; from 2^60 on a limit counts as none. Errors: Close() says whether there is a
// solution. Cost: 8 n² bytes; of m limits, Close O(n (m + n) log n), Supply O(n²).
// Method: Johnson's shortest paths, for which few limits are quick: the paper's order of loops
// needs repetitions until nothing changes. Tested by: src/estimate/groups/offset_closure_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace syncline {

class OffsetClosure {
 public:
  // Nothing limits a difference of that much.
  static constexpr int64_t kOpen = int64_t{1} << 60;

  explicit OffsetClosure(size_t clocks);

  // Demands x(to) − x(from) ≤ limit. After Close() use Supply instead.
  void Limit(size_t from, size_t to, int64_t limit);
  // Makes every limit the tightest that all of them together imply; false where they contradict
  // each other.
  bool Close();
  // Requires Close() to have succeeded. Where x(to) − x(from) is open, demands that it be at most
  // `limit`, or the least more that leaves every limit as it is that is not open, and closes again.
  void Supply(size_t from, size_t to, int64_t limit);

  // The greatest and the least x(to) − x(from).
  std::optional<int64_t> Upper(size_t from, size_t to) const;
  std::optional<int64_t> Lower(size_t from, size_t to) const;
  bool IsBounded(size_t from, size_t to) const { return Upper(from, to) && Lower(from, to); }
  // Halfway, rounded down. With x(i) = Middle(r, i) for any r, all x satisfy every limit, exactly.
  // Requires IsBounded.
  int64_t Middle(size_t from, size_t to) const;
  // The half-width E(from, to). Requires IsBounded.
  double HalfWidth(size_t from, size_t to) const;
  size_t clocks() const { return clocks_; }

 private:
  struct Edge {
    uint32_t from = 0;
    uint32_t to = 0;
    int64_t limit = 0;
  };
  // `Sum` holds sums of all limits.
  template <typename Sum>
  bool CloseIn(std::span<const Edge> edges);
  // The least limit that changes nothing known.
  int64_t LeastHarmless(size_t from, size_t to) const;
  int64_t& At(size_t from, size_t to) { return limits_[from * clocks_ + to]; }
  int64_t At(size_t from, size_t to) const { return limits_[from * clocks_ + to]; }

  size_t clocks_;
  std::vector<int64_t> limits_;
};

}  // namespace syncline
