#include "pipeline/correct/message_roles.h"

#include <algorithm>

#include "base/try.h"

namespace syncline {
namespace {

// Several receives of one send make it a broadcast.
void MergeSends(std::vector<Role>& roles) {
  std::ranges::sort(roles, {}, &Role::Order);
  size_t kept = 0;
  for (const Role& role : roles) {
    if (kept > 0 && roles[kept - 1].Order() == role.Order() &&
        role.kind == LogicalEvent::Kind::kSend) {
      roles[kept - 1].kind = LogicalEvent::Kind::kBroadcast;
    } else {
      roles[kept++] = role;
    }
  }
  roles.resize(kept);
}

}  // namespace

Result<std::vector<std::vector<Role>>> CollectRoles(const LoadedTraces& loaded,
                                                    const std::vector<bool>& wanted) {
  std::vector<std::vector<Role>> roles(wanted.size());
  if (std::ranges::none_of(wanted, [](bool is_wanted) { return is_wanted; })) {
    return roles;
  }
  const auto add = [&](const EventRef& event, const Role& role) {
    if (wanted[event.process.index()]) roles[event.process.index()].push_back(role);
  };
  for (const MessageStore* store : {&loaded.messages, &loaded.likely_messages}) {
    SYNCLINE_TRY(store->ForEach([&](const Message& m) {
      using Kind = LogicalEvent::Kind;
      add(m.send, {m.send.index, Kind::kSend, m.receive.process, m.send.index});
      add(m.receive, {m.receive.index, Kind::kReceive, m.send.process, m.send.index});
    }));
  }
  for (std::vector<Role>& of_process : roles) MergeSends(of_process);
  return roles;
}

}  // namespace syncline
