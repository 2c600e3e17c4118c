#include "recording.h"

#include <algorithm>

#include "random.h"

namespace syncline::sweep {
namespace {

using Way = std::pair<uint32_t, uint32_t>;

struct Ids {
  uint64_t sent = 0;
  uint64_t received = 0;
};

std::vector<Ids> Numbered(const Scenario& scenario, const std::vector<SentMessage>& messages) {
  std::map<Way, uint64_t> next;
  std::vector<Ids> ids;
  ids.reserve(messages.size());
  for (const SentMessage& message : messages) {
    uint64_t id = next[{message.from, message.to}]++;
    if (scenario.id_wrap > 0) id %= scenario.id_wrap;
    ids.push_back({id, id});
  }
  return ids;
}

// Some messages and the next ones of their direction exchange the ids of their receives. Returns
// how many messages are wrong then.
uint64_t Exchange(const Scenario& scenario, const std::vector<SentMessage>& messages,
                  std::vector<Ids>& ids, Random& random) {
  if (scenario.wrong_share <= 0) return 0;
  std::map<Way, size_t> waiting;
  uint64_t wrong = 0;
  for (size_t i = 0; i < messages.size(); ++i) {
    if (messages[i].is_lost) continue;
    const Way way = {messages[i].from, messages[i].to};
    if (const auto other = waiting.find(way); other != waiting.end()) {
      std::swap(ids[i].received, ids[other->second].received);
      waiting.erase(other);
      wrong += 2;
    } else if (random.Happens(scenario.wrong_share / 2)) {
      waiting[way] = i;
    }
  }
  return wrong;
}

}  // namespace

Recording Record(const Scenario& scenario, const Traffic& traffic,
                 const std::vector<TrueClock>& clocks) {
  Random random(scenario.seed, 3);
  std::vector<Ids> ids = Numbered(scenario, traffic.messages);
  Recording recording;
  recording.wrong = Exchange(scenario, traffic.messages, ids, random);
  recording.events.reserve(2 * traffic.messages.size());
  const auto add = [&](const RecordedEvent& event) {
    const bool is_kept = !random.Happens(scenario.lost_share);
    if (is_kept) recording.events.push_back(event);
    recording.lost_records += is_kept ? 0 : 1;
    return is_kept;
  };
  for (size_t i = 0; i < traffic.messages.size(); ++i) {
    const SentMessage& m = traffic.messages[i];
    int64_t stamped_ns = m.sent_ns;
    if (random.Happens(scenario.late_share)) {
      stamped_ns += static_cast<int64_t>(random.Below(scenario.late_ns + 1));
      if (clocks[m.from].IsAsleep(stamped_ns)) stamped_ns = m.sent_ns;
      recording.late += stamped_ns > m.sent_ns ? 1 : 0;
    }
    const bool is_sent = add({stamped_ns, ids[i].sent, m.from, m.to, true});
    if (m.is_lost) continue;
    const bool is_received = add({m.received_ns, ids[i].received, m.to, m.from, false});
    recording.messages += is_sent && is_received ? 1 : 0;
  }
  std::stable_sort(
      recording.events.begin(), recording.events.end(),
      [](const RecordedEvent& a, const RecordedEvent& b) { return a.stamped_ns < b.stamped_ns; });
  return recording;
}

}  // namespace syncline::sweep
