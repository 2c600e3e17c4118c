// Messages as the interval methods see them, for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "estimate/groups/by_intervals.h"
#include "estimate/groups/interval_corridors.h"
#include "estimate/joint/joint_test_util.h"

namespace syncline {

// Requires `group` to outlive the pass.
inline MessagePass MessagesOf(const ClockGroup& group) {
  return [&group](const MessageVisitor& visit) -> Result<void> {
    for (const ClockMessage& m : group.messages()) {
      visit({ClockId(static_cast<uint32_t>(m.from)), ClockId(static_cast<uint32_t>(m.to)),
             LocalTime{m.send_ns}, LocalTime{m.receive_ns}, m.send_ns, m.receive_ns});
    }
    return {};
  };
}

// Clocks of any shape: each turns a true time into a reading.
class BentClocks {
 public:
  using Reading = std::function<int64_t(int64_t true_ns)>;

  // All traces last from the true time 0 to `length_ns`.
  BentClocks(std::vector<Reading> clocks, int64_t length_ns) : read_(std::move(clocks)) {
    for (size_t i = 0; i < read_.size(); ++i) {
      inputs_.push_back({{.name = std::string(1, static_cast<char>('a' + i % 26))},
                         {read_[i](0)},
                         {read_[i](length_ns)}});
    }
  }

  void Send(size_t from, size_t to, int64_t at_ns, int64_t delay_ns) {
    const LocalTime sent{read_[from](at_ns)};
    const LocalTime received{read_[to](at_ns + delay_ns)};
    messages_.push_back({ClockId(static_cast<uint32_t>(from)), ClockId(static_cast<uint32_t>(to)),
                         sent, received, sent.ticks, received.ticks});
    messages_.back().id = messages_.size() - 1;
    PairPoints& points = points_[{std::min(from, to), std::max(from, to)}];
    from < to ? points.AddAToB(sent.ticks, received.ticks)
              : points.AddBToA(sent.ticks, received.ticks);
  }

  // One message each way, sent at the same true time.
  void Exchange(size_t a, size_t b, int64_t at_ns, int64_t there_ns, int64_t back_ns) {
    Send(a, b, at_ns, there_ns);
    Send(b, a, at_ns, back_ns);
  }

  std::vector<PairInput> Pairs() const {
    std::vector<PairInput> pairs;
    for (const auto& [clocks, points] : points_) {
      pairs.push_back({ClockId(static_cast<uint32_t>(clocks.first)),
                       ClockId(static_cast<uint32_t>(clocks.second)), EstimatePair(points, {})});
    }
    return pairs;
  }

  MessagePass Messages() const {
    return [this](const MessageVisitor& visit) -> Result<void> {
      for (const RecordedMessage& m : messages_) visit(m);
      return {};
    };
  }

  // Corrected − what the root reads at the same true time.
  int64_t Error(const GroupEstimate& group, size_t clock, int64_t true_ns) const {
    const size_t root = group.roots[group.clocks[clock].component].index();
    return group.clocks[clock].correction(LocalTime{read_[clock](true_ns)}).ns -
           read_[root](true_ns);
  }

  size_t Inversions(const GroupEstimate& group) const {
    size_t inverted = 0;
    for (const RecordedMessage& m : messages_) {
      const GlobalTime sent = group.clocks[m.from.index()].correction(m.sent);
      inverted += group.clocks[m.to.index()].correction(m.received) < sent ? 1 : 0;
    }
    return inverted;
  }

  const std::vector<ClockInput>& inputs() const { return inputs_; }
  const std::vector<RecordedMessage>& messages() const { return messages_; }

 private:
  std::vector<Reading> read_;
  std::vector<ClockInput> inputs_;
  std::vector<RecordedMessage> messages_;
  std::map<std::pair<size_t, size_t>, PairPoints> points_;
};

}  // namespace syncline
