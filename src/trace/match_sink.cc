#include "trace/match_sink.h"

#include <algorithm>

#include "base/parallel.h"

namespace syncline {

void MatchSink::OnMessage(const Message& message) {
  store_.OnMessage(message);
  const ClockId from = loaded_.ClockOf(message.send);
  const ClockId to = loaded_.ClockOf(message.receive);
  if (from == to) return;
  const int64_t send = loaded_.traces.clocks[from.index()].NominalNs(message.send.time);
  const int64_t receive = loaded_.traces.clocks[to.index()].NominalNs(message.receive.time);
  PairPoints& points = PairOf(std::min(from, to), std::max(from, to));
  if (from < to) {
    points.AddAToB(send, receive);
  } else {
    points.AddBToA(send, receive);
  }
}

void MatchSink::OnSeries(std::span<const std::vector<Message>> series) {
  std::vector<std::pair<PairPoints*, PairSeries>> by_pair;
  for (const auto& [clocks, of_pair] : ByPair(series)) {
    by_pair.emplace_back(&loaded_.pairs[clocks], of_pair);
  }
  // The store is a piece of its own.
  ForEachParallel(by_pair.size() + 1, [&](size_t i) {
    if (i == 0) {
      for (const std::vector<Message>& messages : series) {
        for (const Message& message : messages) store_.OnMessage(message);
      }
      return;
    }
    const auto& [points, of_pair] = by_pair[i - 1];
    for (const std::vector<Message>* messages : of_pair) AddTo(*points, *messages);
  });
}

// Those between different clocks, of each pair in their order.
std::map<MatchSink::ClockPair, MatchSink::PairSeries> MatchSink::ByPair(
    std::span<const std::vector<Message>> series) const {
  std::map<ClockPair, PairSeries> by_pair;
  for (const std::vector<Message>& messages : series) {
    if (messages.empty()) continue;
    const ClockId from = loaded_.ClockOf(messages.front().send);
    const ClockId to = loaded_.ClockOf(messages.front().receive);
    if (from != to) by_pair[{std::min(from, to), std::max(from, to)}].push_back(&messages);
  }
  return by_pair;
}

// Messages from one clock to another one.
void MatchSink::AddTo(PairPoints& points, std::span<const Message> messages) const {
  const ClockId from = loaded_.ClockOf(messages.front().send);
  const ClockId to = loaded_.ClockOf(messages.front().receive);
  const Clock& sender = loaded_.traces.clocks[from.index()];
  const Clock& receiver = loaded_.traces.clocks[to.index()];
  for (const Message& m : messages) {
    const int64_t send = sender.NominalNs(m.send.time);
    const int64_t receive = receiver.NominalNs(m.receive.time);
    from < to ? points.AddAToB(send, receive) : points.AddBToA(send, receive);
  }
}

PairPoints& MatchSink::PairOf(ClockId a, ClockId b) {
  if (last_ != nullptr && last_key_ == std::pair(a, b)) return *last_;
  last_key_ = {a, b};
  const auto [known, is_new] = pairs_.try_emplace(last_key_, nullptr);
  if (is_new) known->second = &loaded_.pairs[last_key_];
  return *(last_ = known->second);
}

}  // namespace syncline
