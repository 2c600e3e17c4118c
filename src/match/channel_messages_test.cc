#include "match/channel_messages.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "match/match_test_util.h"
#include "match/named_matcher.h"
#include "match/testing/mpi_numbering.h"

namespace syncline {
namespace {

using Ends = std::tuple<uint32_t, uint64_t, int64_t, uint32_t, uint64_t, int64_t>;

Ends EndsOf(const Message& m) {
  return {m.send.process.value,    m.send.index,    m.send.time.ticks,
          m.receive.process.value, m.receive.index, m.receive.time.ticks};
}

struct Collector : SeriesSink {
  void OnMessage(const Message& message) override { messages.push_back(message); }
  void OnSeries(std::span<const std::vector<Message>> more) override {
    for (const std::vector<Message>& of_clocks : more) {
      messages.insert(messages.end(), of_clocks.begin(), of_clocks.end());
      series.push_back(of_clocks);
    }
  }
  void OnBroadcast(const Broadcast&) override {}
  std::vector<std::vector<Message>> series;
  std::vector<Message> messages;
};

// Messages between processes of which two share a clock, on several tags, some received late and
// the last ones never.
class RandomRun {
 public:
  static constexpr uint32_t kProcesses = 4;

  explicit RandomRun(uint64_t seed) : random_(seed), streams_(kProcesses), now_(kProcesses) {
    traces_.groups.push_back({"world", {}});
    for (uint32_t p = 0; p < kProcesses; ++p) {
      if (p > 0) traces_.clocks.emplace_back();
      traces_.processes.push_back({std::to_string(p), "", ClockId(p == 0 ? 0 : p - 1)});
      traces_.groups[0].members.push_back(ProcessId(p));
    }
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, int> in_flight;
    for (int step = 0; step < 2000; ++step) {
      const uint32_t from = Below(kProcesses);
      const uint32_t to = (from + 1 + Below(kProcesses - 1)) % kProcesses;
      const uint32_t tag = Below(3);
      int& count = in_flight[{from, to, tag}];
      if (count > 0 && Below(2) == 0) {
        --count;
        Add(to, EventKind::kReceive, MpiKind::kReceive, from, tag);
      } else if (step < 1900) {
        ++count;
        Add(from, EventKind::kSend, MpiKind::kSend, to, tag);
      }
    }
  }

  void Match(SeriesSink& by_channel, MessageSink& by_name) {
    MpiSurvey survey(traces_);
    std::vector<FoundEnds> found(kProcesses);
    for (const auto& stream : streams_) {
      for (size_t i = 0; i < stream.size(); ++i) {
        const Event& event = stream[i].event;
        const auto record = survey.OfProcess(event.process).Record(event, stream[i].operation, i);
        if (record) AddTransfer(*record, event.time, found[event.process.index()]);
      }
    }
    Diagnostics diagnostics;
    const auto pairing = survey.Finish(diagnostics);
    ChannelMessages messages(*pairing);
    NamedMatcher matcher(by_name);
    std::vector<ChannelEnds> ends(kProcesses);
    for (uint32_t p = 0; p < kProcesses; ++p) {
      ends[p] = found[p].Take();
      survey.OfProcess(ProcessId(p)).Number(*pairing, ends[p]);
      messages.Add(ends[p]);
      MpiNumbering numbering(pairing, ProcessId(p));
      for (size_t i = 0; i < streams_[p].size(); ++i) {
        matcher.Add(numbering.Number(streams_[p][i].event, streams_[p][i].operation, i), i);
      }
    }
    ChannelMessages::Reader reader(messages, traces_);
    for (auto series = reader.Next(); !series.empty(); series = reader.Next()) {
      by_channel.OnSeries(series);
    }
    matcher.Finish(diagnostics);
  }
  const TraceSet& traces() const { return traces_; }

 private:
  uint32_t Below(uint32_t limit) { return static_cast<uint32_t>(random_() % limit); }
  void Add(uint32_t at, EventKind kind, MpiKind mpi_kind, uint32_t peer, uint32_t tag) {
    now_[at] += Below(100);
    const Event event{
        .time = {now_[at]}, .process = ProcessId(at), .kind = kind, .peer = ProcessId(peer)};
    const MpiOperation operation{
        .kind = mpi_kind, .tag = tag, .own = ProcessId(at), .peer = ProcessId(peer)};
    streams_[at].push_back({event, operation});
  }

  std::mt19937_64 random_;
  TraceSet traces_;
  std::vector<std::vector<RecordedOperation>> streams_;
  std::vector<int64_t> now_;
};

TEST(ChannelMessages, AreThoseThatTheNamedMatcherPairs) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    RandomRun run(seed);
    Collector by_channel;
    Collector by_name;
    run.Match(by_channel, by_name);
    std::vector<Ends> found;
    std::vector<Ends> expected;
    for (const Message& m : by_channel.messages) found.push_back(EndsOf(m));
    for (const Message& m : by_name.messages) expected.push_back(EndsOf(m));
    EXPECT_GT(expected.size(), 0u);
    EXPECT_THAT(found, testing::UnorderedElementsAreArray(expected)) << "seed " << seed;
  }
}

TEST(ChannelMessages, ComeByClocksInOrderOfTheirCompletion) {
  RandomRun run(7);
  Collector by_channel;
  Collector by_name;
  run.Match(by_channel, by_name);
  const auto clock = [&](ProcessId p) { return run.traces().processes[p.index()].clock; };
  std::vector<std::tuple<ClockId, ClockId, int64_t>> order;
  for (const Message& m : by_channel.messages) {
    order.emplace_back(clock(m.send.process), clock(m.receive.process),
                       std::max(m.send.time.ticks, m.receive.time.ticks));
  }
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(ChannelMessages, ComeInASeriesForEachDirectionBetweenTwoClocks) {
  RandomRun run(7);
  Collector by_channel;
  Collector by_name;
  run.Match(by_channel, by_name);
  const auto clock = [&](ProcessId p) { return run.traces().processes[p.index()].clock; };
  std::set<std::pair<ClockId, ClockId>> directions;
  for (const std::vector<Message>& series : by_channel.series) {
    ASSERT_FALSE(series.empty());
    const std::pair direction(clock(series[0].send.process), clock(series[0].receive.process));
    EXPECT_TRUE(directions.insert(direction).second);
    for (const Message& m : series) {
      EXPECT_EQ(std::pair(clock(m.send.process), clock(m.receive.process)), direction);
    }
  }
}

}  // namespace
}  // namespace syncline
