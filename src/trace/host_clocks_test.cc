#include "trace/host_clocks.h"

#include <string>

#include <gtest/gtest.h>

namespace syncline {
namespace {

constexpr uint64_t kGigahertz = 1'000'000'000;

class HostClocksTest : public ::testing::Test {
 protected:
  ClockId Join(const std::string& host, CtfClock& clock) { return hosts_.Join(host, clock, "t"); }
  uint64_t Count(const char* name) const { return loaded_.diagnostics.count(name); }
  // What the host's clock claims for these cycles of a trace's clock.
  int64_t NominalNs(ClockId id, const CtfClock& clock, uint64_t cycles) const {
    return loaded_.traces.clocks[id.index()].NominalNs(clock.FromCycles(cycles));
  }

  LoadedTraces loaded_;
  HostClocks hosts_{loaded_};
};

TEST_F(HostClocksTest, HostsOfOneUuidHaveClocksOfTheirOwn) {
  CtfClock a{.uuid = "same"};
  CtfClock b{.uuid = "same"};
  EXPECT_NE(Join("a", a), Join("b", b));
  EXPECT_EQ(loaded_.traces.clocks.size(), 2);
  EXPECT_TRUE(loaded_.diagnostics.all().empty());
}

TEST_F(HostClocksTest, OneCounterIsOneClockWhateverOffsetsTheTracesClaim) {
  CtfClock kernel{.uuid = "boot", .offset_s = 1000, .offset_cycles = 500};
  CtfClock user{.uuid = "boot", .offset_s = 1000, .offset_cycles = 900};
  const ClockId first = Join("host", kernel);
  EXPECT_EQ(Join("host", user), first);
  // The same cycle is the same instant, by the first trace's offset.
  EXPECT_EQ(user.FromCycles(7), kernel.FromCycles(7));
  EXPECT_EQ(NominalNs(first, user, 7), 1000 * int64_t{kGigahertz} + 500 + 7);
  EXPECT_EQ(Count("host-clock-offsets-differ"), 1);
  EXPECT_FALSE(loaded_.diagnostics.HasAtLeast(Severity::kWarning));
}

TEST_F(HostClocksTest, WithoutUuidTheClaimedTimesAreBelieved) {
  CtfClock first{.offset_s = 1000};
  CtfClock later{.offset_s = 1002, .offset_cycles = 3};
  const ClockId clock = Join("host", first);
  EXPECT_EQ(Join("host", later), clock);
  EXPECT_EQ(NominalNs(clock, later, 7), 1002 * int64_t{kGigahertz} + 3 + 7);
  EXPECT_EQ(later.ToCycles(later.FromCycles(7)), 7);
  EXPECT_TRUE(loaded_.diagnostics.all().empty());
}

TEST_F(HostClocksTest, OtherFrequenciesAndOtherBootsAreOtherClocks) {
  CtfClock first{.uuid = "boot 1"};
  CtfClock slower{.uuid = "boot 1", .frequency = 1'000'000};
  CtfClock again{.uuid = "boot 2"};
  CtfClock again_slower{.uuid = "boot 1", .frequency = 1'000'000};
  const ClockId one = Join("host", first);
  const ClockId two = Join("host", slower);
  const ClockId three = Join("host", again);
  EXPECT_EQ(Join("host", again_slower), two);
  EXPECT_EQ(loaded_.traces.clocks[one.index()].name, "host");
  EXPECT_EQ(loaded_.traces.clocks[two.index()].name, "host-2");
  EXPECT_EQ(loaded_.traces.clocks[three.index()].name, "host-3");
  EXPECT_TRUE(loaded_.diagnostics.HasAtLeast(Severity::kWarning));
  EXPECT_EQ(Count("host-clocks-differ"), 3);
}

TEST_F(HostClocksTest, AClockOfAnotherFormatIsJoinedByItsTimes) {
  const ClockId capture = loaded_.ClockNamed({.name = "host"});
  CtfClock clock{.uuid = "boot", .offset_s = 1000};
  EXPECT_EQ(Join("host", clock), capture);
  EXPECT_EQ(NominalNs(capture, clock, 7), 1000 * int64_t{kGigahertz} + 7);
}

}  // namespace
}  // namespace syncline
