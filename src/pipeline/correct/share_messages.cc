#include "pipeline/correct/share_messages.h"

namespace syncline {

std::vector<bool> TraceShare::IsHere() const {
  std::vector<bool> is_here;
  for (const uint32_t holder : shares) is_here.push_back(holder == team.own());
  return is_here;
}

Result<std::vector<ReplayTrace::Message>> FetchMessages(
    const TraceShare& share, const MessageStore& matched,
    const std::function<void(const Message&)>& visit) {
  const auto own = static_cast<uint32_t>(share.team.own());
  std::vector<ReplayTrace::Message> messages;
  std::vector<std::vector<ReplayTrace::Message>> to_each(share.team.shares());
  messages.reserve(matched.messages());
  auto done = matched.ForEach([&](const Message& m) {
    const ReplayTrace::Message message{m.send.process, m.receive.process, m.send.index,
                                       m.receive.index, 0};
    const uint32_t sender = share.shares[m.send.process.index()];
    const uint32_t receiver = share.shares[m.receive.process.index()];
    for (const uint32_t end : {sender, receiver}) {
      if (end != own) to_each[end].push_back(message);
      if (sender == receiver) break;
    }
    if (sender == own || receiver == own) messages.push_back(message);
    visit(m);
  });
  if (share.team.Any(!done)) return OwnError<std::vector<ReplayTrace::Message>>(done);
  for (const auto& from : share.team.ExchangeAll(to_each)) {
    messages.insert(messages.end(), from.begin(), from.end());
  }
  return messages;
}

}  // namespace syncline
