#include "pipeline/write/packet_comments.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/int128.h"
#include "base/try.h"
#include "report/table.h"

namespace syncline {
namespace {

// How far the true delay can be from the corrected one.
int64_t BoundOfDelay(const LoadedTraces& loaded, const GroupEstimate& estimate, const Message& m,
                     GlobalTime sent, GlobalTime received) {
  const auto bounds = [&](const EventRef& event) -> const TimeBounds& {
    const ClockId clock = loaded.ClockOf(event);
    return BoundsOf(estimate.clocks[clock.index()], loaded.epochs.EpochOf(event));
  };
  const auto least_sent = bounds(m.send).Lower(m.send.time);
  const auto most_sent = bounds(m.send).Upper(m.send.time);
  const auto least_received = bounds(m.receive).Lower(m.receive.time);
  const auto most_received = bounds(m.receive).Upper(m.receive.time);
  if (!least_sent || !most_sent || !least_received || !most_received) return INT64_MAX;
  const Int128 longer =
      static_cast<Int128>(most_received->ns) - received.ns + sent.ns - least_sent->ns;
  const Int128 shorter =
      static_cast<Int128>(most_sent->ns) - sent.ns + received.ns - least_received->ns;
  return Saturate(std::max<Int128>({longer, shorter, 0}));
}

}  // namespace

Result<PacketComments> PacketComments::Make(const LoadedTraces& loaded,
                                            const GroupEstimate& estimate,
                                            const Retiming& retiming) {
  PacketComments comments;
  comments.peers_.resize(loaded.traces.processes.size());
  for (const Process& process : loaded.traces.processes) comments.names_.push_back(process.name);
  for (const LoadedInput& input : loaded.inputs) {
    if (input.input.format != Format::kCapture) continue;
    comments.peers_[input.processes[0].index()].resize(input.events);
  }
  const auto add = [&](const Message& m) {
    const GlobalTime sent = retiming(m.send);
    const GlobalTime received = retiming(m.receive);
    const int64_t bound_ns = BoundOfDelay(loaded, estimate, m, sent, received);
    const auto set = [&](const EventRef& own, const EventRef& other, bool has_sent) {
      std::vector<Peer>& peers = comments.peers_[own.process.index()];
      if (own.index >= peers.size() || (peers[own.index].is_there && !has_sent)) return;
      peers[own.index] = {.capture = other.process,
                          .is_there = true,
                          .has_sent = has_sent,
                          .packet = other.index,
                          .delay_ns = (received - sent).ns,
                          .bound_ns = bound_ns};
    };
    set(m.receive, m.send, true);
    set(m.send, m.receive, false);
  };
  SYNCLINE_TRY(loaded.messages.ForEach(add));
  return comments;
}

std::string PacketComments::Of(ProcessId capture, uint64_t packet) const {
  const std::vector<Peer>& peers = peers_[capture.index()];
  if (packet >= peers.size() || !peers[packet].is_there) return "";
  const Peer& peer = peers[packet];
  std::string text =
      fmt::format("{} {} as packet {}{} {}", peer.has_sent ? "sent by" : "received by",
                  names_[peer.capture.index()], peer.packet + 1,
                  peer.has_sent ? ", took" : " after", FormatDuration(peer.delay_ns));
  if (peer.bound_ns != INT64_MAX) text += " ± " + FormatDuration(peer.bound_ns);
  return text;
}

}  // namespace syncline
