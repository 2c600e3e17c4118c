#include "write/shiviz/shiviz_writer.h"

#include <algorithm>
#include <map>
#include <random>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "write/export_test_util.h"

namespace syncline {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

struct LoggedEvent {
  std::string host;
  Json clock;
  std::string text;
};

// As ShiViz does, with the expression that it has by default.
std::vector<LoggedEvent> Parse(const std::string& log) {
  static const std::regex kDefault(R"((\S*) (\{.*\})\n(.*))");
  std::vector<LoggedEvent> events;
  size_t matched = 0;
  for (std::sregex_iterator it(log.begin(), log.end(), kDefault), end; it != end; ++it) {
    events.push_back({(*it)[1], Json::parse((*it)[2].str()), (*it)[3]});
    matched += it->length() + 1;  // and the line's end
  }
  EXPECT_EQ(matched, log.size()) << "the expression left something out";
  return events;
}

TEST(ShivizWriter, AReceiveKnowsWhatItsSenderKnew) {
  ExportBuilder builder({"a", "b", "c"});
  builder.Message(0, 10, 1, 20, 1);
  builder.Message(1, 30, 2, 40, 2);
  const auto events = Parse(Written(builder.trace(), WriteShiviz));
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[0].clock, (Json{{"a", 1}}));
  EXPECT_EQ(events[1].clock, (Json{{"a", 1}, {"b", 1}}));
  EXPECT_EQ(events[3].host, "c");
  EXPECT_EQ(events[3].clock, (Json{{"a", 1}, {"b", 2}, {"c", 1}}));
  EXPECT_EQ(events[0].text, "send to b message 1 at 10 ns ± 7 ns, recorded -90 ns");
}

TEST(ShivizWriter, HostsHaveNoBytesThatTheExpressionTripsOver) {
  TraceSet traces;
  for (const char* name : {"a b", "a\tb", "", "{\"x\":1}", "node-1.lan:80"}) {
    traces.processes.push_back({.name = name});
  }
  EXPECT_EQ(ShivizHosts(traces),
            (std::vector<std::string>{"a_b", "a_b-2", "_", "__x_:1_", "node-1.lan:80"}));
}

TEST(ShivizWriter, AnEventIsOneLineWhateverItsName) {
  ExportBuilder builder({"a"});
  builder.Add(0, 10, EventKind::kMark, "one\ntwo {\"a\":9}\r");
  const auto events = Parse(Written(builder.trace(), WriteShiviz));
  ASSERT_EQ(events.size(), 1U);
  EXPECT_THAT(events[0].text, HasSubstr("mark one two {\"a\":9} "));
}

TEST(ShivizWriter, MessagesInACycleAreAnError) {
  ExportBuilder builder({"a", "b"});
  builder.Add(0, 1, EventKind::kReceive);
  builder.Add(0, 2, EventKind::kSend);
  builder.Add(1, 1, EventKind::kReceive);
  builder.Add(1, 2, EventKind::kSend);
  builder.Link({.from = 1, .to = 0, .send = 1, .receive = 0}, 1);
  builder.Link({.from = 0, .to = 1, .send = 1, .receive = 0}, 2);
  std::swap(builder.trace().processes[1].links[0], builder.trace().processes[1].links[1]);
  const auto done =
      WriteShiviz(builder.trace(), ByteSink([](std::string_view) { return Result<void>(); }));
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code, ErrorCode::kMalformed);
  EXPECT_THAT(done.error().message, HasSubstr("cycle"));
}

// By the definition: an event's clock counts, by process, the events it depends on, itself too.
using EventKey = std::pair<uint32_t, uint64_t>;
std::set<EventKey> CausesOf(const ExportedTrace& trace, const EventKey& event) {
  std::set<EventKey> causes;
  std::vector<EventKey> open = {event};
  while (!open.empty()) {
    const auto [process, number] = open.back();
    open.pop_back();
    if (!causes.insert({process, number}).second) continue;
    if (number > 0) open.emplace_back(process, number - 1);
    for (const ExportedMessage& m : trace.messages) {
      if (m.to == process && m.receive == number) open.emplace_back(m.from, m.send);
    }
  }
  return causes;
}

TEST(ShivizWriter, ClocksCountTheEventsThatAnEventDependsOn) {
  const uint32_t seed = 19'890'101;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  ExportBuilder builder({"a", "b", "c", "d"});
  for (uint64_t message = 0; message < 60; ++message) {
    const uint32_t from = random() % 4;
    builder.Message(from, random() % 100, (from + 1 + random() % 3) % 4, random() % 100, message);
    builder.Add(random() % 4, random() % 100, EventKind::kMark, "m");
  }
  const ExportedTrace& trace = builder.trace();
  const std::vector<std::string> hosts = ShivizHosts(trace.traces);
  std::map<std::string, uint64_t> events_of;
  const auto events = Parse(Written(trace, WriteShiviz));
  ASSERT_EQ(events.size(), 3U * 60);
  for (const LoggedEvent& event : events) {
    const auto process =
        static_cast<uint32_t>(std::find(hosts.begin(), hosts.end(), event.host) - hosts.begin());
    Json clock;
    for (const auto& [cause, number] : CausesOf(trace, {process, events_of[event.host]++})) {
      Json& count = clock[hosts[cause]];
      count = count.is_null() ? 1 : count.get<int>() + 1;
    }
    EXPECT_EQ(event.clock, clock);
  }
}

}  // namespace
}  // namespace syncline
