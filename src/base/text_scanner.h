// Reads what an option says, from its beginning to its end: words, numbers, quantities with units.
//
// The first thing that is wrong is kept, and everything after it reads as 0 or nothing; Finish()
// tells it. So a reader goes through a text without looking for errors in between.
// Units: durations become nanoseconds (ns, us, µs, ms, s, min, h), drifts parts in 10^12, "ppt" in
// names (ppm, ppb; none: ppm), shares parts in 10^9. Decimal fractions are exact or refused.
// Errors: kUsage; the message quotes the text and says at which character (bytes, from 1) what was
// expected. Tested by: text_scanner_test.cc.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "syncline/result.h"

namespace syncline {

inline constexpr int64_t kPptPerPpm = 1'000'000;
inline constexpr int64_t kPpb = 1'000'000'000;
// Durations stay below this, 73 years, so that times of twice as much and one more never overflow.
inline constexpr int64_t kMaxDurationNs = int64_t{1} << 61;

class TextScanner {
 public:
  explicit TextScanner(std::string_view text) : text_(text) {}

  // Nothing is left, or something was wrong.
  bool AtEnd() const { return at_ == text_.size(); }
  bool IsAtDigit() const { return !AtEnd() && text_[at_] >= '0' && text_[at_] <= '9'; }
  // Steps over `c` if it is next.
  bool Accept(char c);
  void Expect(char c);
  // The lower-case letters that are next; may be empty.
  std::string_view Word();

  uint64_t Number(uint64_t most);  // digits only
  // Signed. A number without a unit counts `plain_ns`.
  int64_t DurationNs(int64_t plain_ns = 1);
  int64_t DriftPpt();  // signed
  int64_t SharePpb();  // signed; of 1

  size_t position() const { return at_; }
  // Says that something else stands at this position, unless something was wrong before.
  void RefuseAt(size_t where, std::string_view expected);
  void RefuseIf(bool is_wrong, size_t where, std::string_view expected) {
    if (is_wrong) RefuseAt(where, expected);
  }

  // `value`, which was read from the whole text, or what was wrong.
  template <typename T>
  Result<T> Finish(T value, std::string_view expected = "the end") {
    if (!AtEnd()) RefuseAt(at_, expected);
    if (error_) return tl::unexpected(*error_);
    return value;
  }

 private:
  struct Unit {
    std::string_view name;
    int64_t scale;
  };
  int64_t Quantity(std::string_view what, std::string_view units_text, int64_t plain_scale,
                   std::initializer_list<Unit> units);

  std::string_view text_;
  size_t at_ = 0;
  std::optional<Error> error_;
};

}  // namespace syncline
