#include "write/ctf/stream_times.h"

#include <random>
#include <string>
#include <string_view>

#include <gmock/gmock.h>

namespace syncline::ctf_write {
namespace {

using Kind = StreamItem::Kind;
using testing::ElementsAre;

constexpr int64_t kAhead = 1'000;

// A clock that is 1000 ns ahead; the logical clock moved the events listed forward besides.
class Retimer : public CtfRetimer {
 public:
  void BeginStream(std::string_view /*file*/) override {}
  void Retime(uint64_t first, std::span<const uint64_t> cycles,
              std::span<GlobalTime> corrected) override {
    EXPECT_EQ(first, next_event_);
    next_event_ += cycles.size();
    for (size_t i = 0; i < cycles.size(); ++i) {
      corrected[i] = Plain(cycles[i]);
      if (first + i < moved.size()) corrected[i].ns += moved[first + i];
    }
  }
  GlobalTime Plain(uint64_t cycles) override { return {static_cast<int64_t>(cycles) - kAhead}; }

  std::vector<int64_t> moved;

 private:
  uint64_t next_event_ = 0;
};

StreamItem Item(Kind kind, uint64_t first, uint64_t last) {
  return {.kind = kind, .recorded = {first, last}};
}
StreamItem Item(Kind kind, uint64_t cycles) { return Item(kind, cycles, cycles); }

std::vector<MessageTimes> WrittenTimes(StreamTimes& times) {
  std::vector<MessageTimes> written;
  while (const auto item = times.Take()) written.push_back(item->written);
  return written;
}

MessageTimes At(uint64_t cycles) { return {cycles, cycles}; }

TEST(StreamTimes, GivesEventsAndPacketsTheirCorrectedTimes) {
  Retimer retimer;
  StreamTimes times(retimer, 0);
  times.Add(Item(Kind::kUntimed, 0));
  times.Add(Item(Kind::kPacketBeginning, 5'000));
  times.Add(Item(Kind::kEvent, 5'100));
  times.Add(Item(Kind::kEvent, 5'200));
  times.Add(Item(Kind::kPacketEnd, 5'300));
  times.Finish();
  EXPECT_THAT(WrittenTimes(times), ElementsAre(At(0), At(5'000 - kAhead), At(5'100 - kAhead),
                                               At(5'200 - kAhead), At(5'300 - kAhead)));
  EXPECT_EQ(times.figures().events, 2U);
  EXPECT_EQ(times.figures().raised, 0U);
}

// The stream's end, which needs no time, is taken at once.
TEST(StreamTimes, EndsWhereAllThatWasAddedIsTaken) {
  Retimer retimer;
  StreamTimes times(retimer, 0);
  times.Add(Item(Kind::kUntimed, 0));
  times.Add(Item(Kind::kEvent, 5'000));
  times.Flush();
  times.Add(Item(Kind::kUntimed, 0));
  times.Add(Item(Kind::kUntimed, 0));
  EXPECT_THAT(WrittenTimes(times), ElementsAre(At(0), At(5'000 - kAhead), At(0), At(0)));
  times.Finish();
  EXPECT_FALSE(times.Take());
  EXPECT_EQ(times.figures().events, 1U);
}

TEST(StreamTimes, CountsFromTheOrigin) {
  Retimer retimer;
  StreamTimes times(retimer, 3'000);
  times.Add(Item(Kind::kEvent, 5'000));
  times.Add(Item(Kind::kEvent, 9'000));
  times.Finish();
  EXPECT_THAT(WrittenTimes(times),
              ElementsAre(At(5'000 - kAhead - 3'000), At(9'000 - kAhead - 3'000)));
  EXPECT_EQ(times.figures().before_origin_ns, 0);
}

TEST(StreamTimes, SaysHowFarATimeLiesBeforeTheOrigin) {
  Retimer retimer;
  StreamTimes times(retimer, 0);
  times.Add(Item(Kind::kEvent, 300));
  times.Add(Item(Kind::kEvent, 600));
  times.Add(Item(Kind::kEvent, 1'600));
  times.Finish();
  EXPECT_THAT(WrittenTimes(times), ElementsAre(At(0), At(0), At(1'600 - kAhead)));
  EXPECT_EQ(times.figures().before_origin_ns, kAhead - 300);
}

TEST(StreamTimes, MovesPacketsBetweenTheEventsAroundThem) {
  Retimer retimer;
  retimer.moved = {0, 500};  // the second event beyond its packet's end, and the next's beginning
  StreamTimes times(retimer, 0);
  times.Add(Item(Kind::kPacketBeginning, 2'000));
  times.Add(Item(Kind::kEvent, 2'000));
  times.Add(Item(Kind::kEvent, 2'100));
  times.Add(Item(Kind::kPacketEnd, 2'200));
  times.Add(Item(Kind::kPacketBeginning, 2'300));
  times.Add(Item(Kind::kEvent, 2'900));
  times.Add(Item(Kind::kPacketEnd, 3'000));
  times.Finish();
  EXPECT_THAT(WrittenTimes(times), ElementsAre(At(1'000), At(1'000), At(1'600), At(1'600),
                                               At(1'600), At(1'900), At(2'000)));
  EXPECT_EQ(times.figures().raised, 0U);
}

TEST(StreamTimes, LetsAPacketBeginWithAnEventThatIsRecordedBeforeIt) {
  Retimer retimer;
  StreamTimes times(retimer, 0);
  times.Add(Item(Kind::kPacketBeginning, 2'500));
  times.Add(Item(Kind::kEvent, 2'400));
  times.Finish();
  EXPECT_THAT(WrittenTimes(times), ElementsAre(At(1'400), At(1'400)));
  EXPECT_EQ(times.figures().raised, 0U);
}

TEST(StreamTimes, RaisesAnEventThatStepsBackToTheOneBefore) {
  Retimer retimer;
  StreamTimes times(retimer, 0);
  times.Add(Item(Kind::kEvent, 5'000));
  times.Add(Item(Kind::kEvent, 4'300));
  times.Add(Item(Kind::kEvent, 4'900));
  times.Add(Item(Kind::kEvent, 5'001));
  times.Finish();
  EXPECT_THAT(WrittenTimes(times), ElementsAre(At(4'000), At(4'000), At(4'000), At(4'001)));
  EXPECT_EQ(times.figures().raised, 2U);
  EXPECT_EQ(times.figures().largest_raise_ns, 5'000 - 4'300);
}

TEST(StreamTimes, KeepsRangesOfLostEventsFromPacketEndToPacketEnd) {
  Retimer retimer;
  retimer.moved = {900, 0, 900};  // both packets end later for it
  StreamTimes times(retimer, 0);
  times.Add(Item(Kind::kDiscardedEvents, 2'000, 2'200));
  times.Add(Item(Kind::kPacketBeginning, 2'000));
  times.Add(Item(Kind::kEvent, 2'100));
  times.Add(Item(Kind::kPacketEnd, 2'200));
  times.Add(Item(Kind::kDiscardedEvents, 2'200, 5'000));
  times.Add(Item(Kind::kDiscardedPackets, 2'200, 4'000));
  times.Add(Item(Kind::kPacketBeginning, 4'000));
  times.Add(Item(Kind::kEvent, 4'500));
  times.Add(Item(Kind::kEvent, 4'900));
  times.Add(Item(Kind::kPacketEnd, 5'000));
  times.Finish();
  EXPECT_THAT(WrittenTimes(times),
              ElementsAre(MessageTimes{1'000, 2'000}, At(1'000), At(2'000), At(2'000),
                          MessageTimes{2'000, 4'800}, MessageTimes{2'000, 3'000}, At(3'000),
                          At(3'500), At(4'800), At(4'800)));
}

TEST(StreamTimes, GivesEventsAsSoonAsTheyAreFlushed) {
  Retimer retimer;
  StreamTimes times(retimer, 0);
  times.Add(Item(Kind::kEvent, 2'000));
  EXPECT_FALSE(times.Take().has_value());
  times.Flush();
  EXPECT_THAT(WrittenTimes(times), ElementsAre(At(1'000)));
  times.Add(Item(Kind::kPacketEnd, 2'100));
  times.Flush();
  EXPECT_FALSE(times.Take().has_value());  // the next event may be earlier
  times.Add(Item(Kind::kEvent, 2'050));
  times.Flush();
  EXPECT_THAT(WrittenTimes(times), ElementsAre(At(1'050), At(1'050)));
}

TEST(StreamTimes, EndsRangesThatNoPacketFollows) {
  Retimer retimer;
  StreamTimes times(retimer, 0);
  times.Add(Item(Kind::kEvent, 2'000));
  times.Add(Item(Kind::kDiscardedEvents, 2'100, 2'300));
  times.Add(Item(Kind::kDiscardedPackets, 2'100, 2'300));
  times.Finish();
  const auto written = WrittenTimes(times);
  ASSERT_EQ(written.size(), 3U);
  for (const MessageTimes& range : written) EXPECT_LE(range.first, range.last);
}

// What CTF 1.8 wants of a stream, for any order of recorded times.
TEST(StreamTimes, NeverStepsBackWhateverIsRecorded) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    const auto any = [&](uint64_t below) { return random() % below; };
    Retimer retimer;
    retimer.moved.resize(200);
    for (int64_t& ns : retimer.moved) ns = static_cast<int64_t>(any(3) == 0 ? any(2'000) : 0);
    StreamTimes times(retimer, 0);
    std::vector<StreamItem> written;
    uint64_t now = 10'000;
    for (int packet = 0; packet < 20; ++packet) {
      const uint64_t end = now + 1'000;
      if (packet > 0 && any(4) == 0) times.Add(Item(Kind::kDiscardedEvents, now, end));
      if (packet > 0 && any(4) == 0) times.Add(Item(Kind::kDiscardedPackets, now, now));
      times.Add(Item(Kind::kPacketBeginning, now));
      for (uint64_t event = any(8); event > 0; --event) {
        times.Add(Item(Kind::kEvent, now + any(1'500)));
      }
      times.Add(Item(Kind::kPacketEnd, end));
      if (any(2) == 0) times.Flush();
      while (const auto item = times.Take()) written.push_back(*item);
      now = end - any(300);
    }
    times.Finish();
    while (const auto item = times.Take()) written.push_back(*item);
    uint64_t latest = 0;
    uint64_t packet_end = 0;
    uint64_t events_lost_until = 0;
    uint64_t packets_lost_until = 0;
    for (const StreamItem& item : written) {
      switch (item.kind) {
        case Kind::kDiscardedEvents:
          EXPECT_EQ(item.written.first, packet_end);
          events_lost_until = item.written.last;
          continue;
        case Kind::kDiscardedPackets:
          EXPECT_EQ(item.written.first, packet_end);
          packets_lost_until = item.written.last;
          continue;
        case Kind::kPacketBeginning:
          if (packets_lost_until != 0) {
            EXPECT_EQ(item.written.first, packets_lost_until);
          }
          packets_lost_until = 0;
          break;
        case Kind::kPacketEnd:
          if (events_lost_until != 0) {
            EXPECT_EQ(item.written.first, events_lost_until);
          }
          events_lost_until = 0;
          packet_end = item.written.first;
          break;
        default: break;
      }
      EXPECT_GE(item.written.first, latest);
      latest = item.written.first;
    }
  }
}

}  // namespace
}  // namespace syncline::ctf_write
