#include "match/match_ledger.h"

namespace syncline {

FateName NameOf(PacketFate fate) {
  switch (fate) {
    case PacketFate::kMatched:
    case PacketFate::kBroadcastOnly: return {};
    case PacketFate::kUnmatchedSend: return {"unmatched-send", Severity::kInfo};
    case PacketFate::kUnmatchedReceive: return {"unmatched-receive", Severity::kInfo};
    case PacketFate::kUnmatchedUnknown: return {"unmatched-packet", Severity::kInfo};
    case PacketFate::kAmbiguous: return {"ambiguous-packet", Severity::kInfo};
    case PacketFate::kDirectionUnknown: return {"direction-unknown", Severity::kWarning};
    case PacketFate::kSameHost: return {"same-host-copies", Severity::kWarning};
    case PacketFate::kSameClock: return {"same-clock-copies", Severity::kInfo};
    case PacketFate::kOtherHosts: return {"packet-of-other-hosts", Severity::kInfo};
    case PacketFate::kFragment: return {"fragment", Severity::kInfo};
    case PacketFate::kUnsupported: return {"unsupported-protocol", Severity::kInfo};
    case PacketFate::kHeaderCut: return {"packet-header-cut", Severity::kWarning};
    case PacketFate::kMalformed: return {"malformed-packet", Severity::kWarning};
  }
  return {};
}

MatchLedger::MatchLedger(std::span<const CaptureOrigin> origins, MessageSink& sink)
    : origins_(origins), sink_(sink) {
  counts_.captures.resize(origins.size());
}

void MatchLedger::Message(const PacketRecord& send, const PacketRecord& receive) {
  ++counts_.messages;
  tracks_.Add(clock(send), send.time, clock(receive), receive.time);
  sink_.OnMessage({Event(send), Event(receive)});
}

void MatchLedger::Broadcast(std::span<const PacketRecord> receives) {
  ++counts_.broadcasts;
  syncline::Broadcast broadcast;
  for (const PacketRecord& receive : receives) broadcast.receives.push_back(Event(receive));
  sink_.OnBroadcast(broadcast);
}

}  // namespace syncline
