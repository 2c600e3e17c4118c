#include "write/ctf/clock_text.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace syncline::ctf_write {
namespace {

using testing::HasSubstr;

struct Clock {
  uint64_t freq = 1'000'000'000;
  uint64_t precision = 0;
  int64_t offset_s = 0;
  uint64_t offset = 0;
};

std::string Metadata(const Clock& clock) {
  return fmt::format(
      "/* CTF 1.8 */\n\ntrace {{\n\tmajor = 1;\n}};\n\nclock {{\n\tname = monotonic;\n"
      "\tdescription = \"freq = 5; clock {{\";\n\tfreq = {};\n\tprecision = {};\n"
      "\toffset_s = {};\n\toffset = {};\n\tabsolute = true;\n}};\n\nstream {{\n\tid = 0;\n}};\n",
      clock.freq, clock.precision, clock.offset_s, clock.offset);
}

struct Case {
  Clock before;
  int64_t earlier_ns = 0;
  Clock after;
};

TEST(CountNanoseconds, ChangesFrequencyAndOriginAlone) {
  constexpr int64_t kSecond = 1'000'000'000;
  const Case cases[] = {
      // As they are.
      {{}, 0, {}},
      {{.offset_s = 1'795'262'587, .offset = 38'700'051},
       0,
       {.offset_s = 1'795'262'587, .offset = 38'700'051}},
      // LTTng gives its offset in cycles alone.
      {{.offset = 1'795'262'587'038'700'051},
       2 * kSecond,
       {.offset_s = 1'795'262'585, .offset = 38'700'051}},
      // An origin before the epoch.
      {{.offset = 5}, kSecond, {.offset_s = -1, .offset = 5}},
      {{.offset_s = -3, .offset = 7}, kSecond, {.offset_s = -4, .offset = 7}},
      // 10 MHz: a cycle is 100 ns.
      {{.freq = 10'000'000, .precision = 3, .offset_s = 12, .offset = 25'000'001},
       0,
       {.precision = 300, .offset_s = 12 + 2, .offset = 500'000'100}},
      // 3 Hz: 7 cycles are 2.333… s, rounded down.
      {{.freq = 3, .precision = 1, .offset = 7},
       0,
       {.precision = 333'333'334, .offset_s = 2, .offset = 333'333'333}},
  };
  for (const auto& [before, earlier_ns, after] : cases) {
    EXPECT_EQ(CountNanoseconds(Metadata(before), earlier_ns), Metadata(after));
  }
}

TEST(CountNanoseconds, ChangesEveryClock) {
  const std::string two = Metadata({.offset_s = 5}) + Metadata({.freq = 1'000, .offset_s = 7});
  EXPECT_EQ(CountNanoseconds(two, 0), Metadata({.offset_s = 5}) + Metadata({.offset_s = 7}));
}

TEST(CountNanoseconds, LeavesTextWithoutClocks) {
  EXPECT_EQ(CountNanoseconds("/* CTF 1.8 */\n", 0), "/* CTF 1.8 */\n");
}

TEST(CountNanoseconds, RefusesBlocksItDoesNotUnderstand) {
  for (const std::string block :
       {"\nclock {\n\tfreq = 5;\n};\n", "\nclock {\n\tfreq = 5;\n",
        "\nclock {\n\tfreq = 0;\n\tprecision = 0;\n\toffset_s = 0;\n\toffset = 0;\n};\n",
        "\nclock {\n\tfreq = 5x;\n\tprecision = 0;\n\toffset_s = 0;\n\toffset = 0;\n};\n"}) {
    const auto changed = CountNanoseconds(block, 0);
    ASSERT_FALSE(changed.has_value()) << block;
    EXPECT_EQ(changed.error().code, ErrorCode::kUnsupported);
    EXPECT_THAT(changed.error().message, HasSubstr("clocks"));
  }
}

}  // namespace
}  // namespace syncline::ctf_write
