#include "match/own_address.h"

#include <algorithm>
#include <set>

namespace syncline {
namespace {

// Fewer frames than this can all be flooded ones of other hosts.
constexpr uint64_t kEnoughFrames = 8;
// Between two claims to one address the stronger wins when it has this many times the frames.
constexpr uint64_t kClearlyStronger = 10;

struct Claim {
  uint64_t address = 0;
  uint64_t frames = 0;
  bool by_unicast = false;
};
using Claims = std::vector<Claim>;  // one per capture point

// Frames in both directions with addresses other than x and y, where x takes part in all but
// `without_x` frames. Flooding shows one direction only.
uint64_t Conversations(const AddressSurvey::Table& table, uint64_t x, uint64_t y,
                       uint64_t without_x) {
  uint64_t frames = 0;
  for (const auto& [address, counts] : table.addresses) {
    if (address != x && address != y) frames += 2 * std::min(counts.sent, counts.received);
  }
  return frames - std::min(frames, 2 * without_x);
}

// Of addresses that are all in nearly every frame, the one that also talks with others alone; all
// of them when there is no such one.
std::vector<uint64_t> BreakTie(const AddressSurvey::Table& table, std::vector<uint64_t> tied) {
  const auto frames = [&](uint64_t address) {
    const auto& counts = table.addresses.at(address);
    return counts.sent + counts.received;
  };
  std::ranges::sort(tied, [&](uint64_t x, uint64_t y) { return frames(x) > frames(y); });
  const uint64_t first = tied[0];
  const uint64_t second = tied[1];
  const uint64_t without_first = table.unicast - frames(first);
  const uint64_t without_second = table.unicast - frames(second);
  const bool clear = without_second >= 2 * kEnoughFrames &&
                     without_second >= kClearlyStronger * without_first &&
                     Conversations(table, first, second, without_first) >= 2 * kEnoughFrames;
  return clear ? std::vector<uint64_t>{first} : tied;
}

// Addresses in at least 90 % of the unicast frames, both as source and as destination.
std::vector<uint64_t> Pervasive(const AddressSurvey::Table& table) {
  std::vector<uint64_t> found;
  for (const auto& [address, counts] : table.addresses) {
    const bool both_roles = counts.sent > 0 && counts.received > 0;
    const uint64_t frames = counts.sent + counts.received;
    if (both_roles && frames >= table.unicast - table.unicast / 10) found.push_back(address);
  }
  return found.size() < 2 ? found : BreakTie(table, std::move(found));
}

uint64_t Frames(const AddressSurvey::Table& table, uint64_t address) {
  const auto found = table.addresses.find(address);
  if (found == table.addresses.end()) return 0;
  return found->second.sent + found->second.received + found->second.sent_group;
}

bool OwnedElsewhere(std::span<const CapturePoint> points, const Claims& claims, size_t self,
                    uint64_t address) {
  for (size_t i = 0; i < claims.size(); ++i) {
    const bool other_host = points[i].clock != points[self].clock;
    if (other_host && claims[i].by_unicast && claims[i].address == address) return true;
  }
  return false;
}

// Withdraws claims to an address for which another host has far better evidence. Claims of about
// equal strength both stay: then one host was captured twice, under two names.
void WithdrawWeakClaims(std::span<const CapturePoint> points, Claims& claims) {
  const Claims before = claims;
  for (size_t i = 0; i < before.size(); ++i) {
    for (size_t j = 0; j < before.size(); ++j) {
      const bool rivals = points[i].clock != points[j].clock && before[i].address != 0 &&
                          before[i].address == before[j].address;
      if (rivals && before[j].frames >= kClearlyStronger * before[i].frames) claims[i] = {};
    }
  }
}

// The one address that remains when those of other hosts are taken away, or 0.
uint64_t OnlyOneLeft(std::span<const CapturePoint> points, const Claims& claims, size_t self,
                     std::span<const uint64_t> candidates) {
  uint64_t left = 0;
  for (const uint64_t address : candidates) {
    if (OwnedElsewhere(points, claims, self, address)) continue;
    if (left != 0) return 0;
    left = address;
  }
  return left;
}

// Whoever could have made a capture without clear unicast evidence: every sender, and every address
// to which more was sent than a switch floods.
std::vector<uint64_t> PossibleOwners(const AddressSurvey::Table& table) {
  std::vector<uint64_t> found;
  for (const auto& [address, counts] : table.addresses) {
    const bool sender = counts.sent + counts.sent_group > 0;
    const bool receiver = counts.received >= kEnoughFrames && counts.received >= table.unicast / 10;
    if (sender || receiver) found.push_back(address);
  }
  return found;
}

// What elimination chooses from.
std::vector<uint64_t> Candidates(std::span<const CapturePoint> points, const Claims& claims,
                                 size_t self, size_t kind) {
  const auto& table = points[self].tables[kind];
  auto tied = Pervasive(table);
  const bool all_taken = std::ranges::all_of(
      tied, [&](uint64_t address) { return OwnedElsewhere(points, claims, self, address); });
  return table.unicast >= kEnoughFrames && !all_taken ? tied : PossibleOwners(table);
}

uint64_t ByElimination(std::span<const CapturePoint> points, const Claims& claims, size_t self,
                       size_t kind) {
  const auto& table = points[self].tables[kind];
  if (!table.is_complete) return 0;
  const uint64_t left = OnlyOneLeft(points, claims, self, Candidates(points, claims, self, kind));
  const auto found = table.addresses.find(left);
  const bool has_sent =
      found != table.addresses.end() && found->second.sent + found->second.sent_group > 0;
  return has_sent ? left : 0;
}

// Two hosts that are left with the same address by elimination alone: neither is certain. Nor is
// one whose address may be that of a host without any: it may just have received from it.
void WithdrawRivals(std::span<const CapturePoint> points, const Claims& by_unicast, size_t kind,
                    Claims& claims) {
  const auto is_left = [&](size_t i) {
    return by_unicast[i].address == 0 && claims[i].address != 0;
  };
  // Of each address that is left for somebody, the hosts that have it or may have it.
  absl::flat_hash_map<uint64_t, std::set<ClockId>> owners;
  for (size_t i = 0; i < claims.size(); ++i) {
    if (is_left(i)) owners[claims[i].address];
  }
  if (owners.empty()) return;
  for (size_t i = 0; i < claims.size(); ++i) {
    const auto candidates = claims[i].address != 0 ? std::vector{claims[i].address}
                                                   : Candidates(points, by_unicast, i, kind);
    for (const uint64_t address : candidates) {
      const auto found = owners.find(address);
      if (found != owners.end()) found->second.insert(points[i].clock);
    }
  }
  for (size_t i = 0; i < claims.size(); ++i) {
    if (is_left(i) && owners[claims[i].address].size() > 1) claims[i] = {};
  }
}

Claims DecideKind(std::span<const CapturePoint> points, size_t kind) {
  Claims claims(points.size());
  for (size_t i = 0; i < points.size(); ++i) {
    const auto pervasive = Pervasive(points[i].tables[kind]);
    if (pervasive.size() != 1) continue;
    claims[i] = {pervasive[0], Frames(points[i].tables[kind], pervasive[0]), true};
  }
  WithdrawWeakClaims(points, claims);
  const Claims by_unicast = claims;
  for (size_t i = 0; i < points.size(); ++i) {
    if (by_unicast[i].address != 0) continue;
    const uint64_t left = ByElimination(points, by_unicast, i, kind);
    claims[i] = {left, Frames(points[i].tables[kind], left), false};
  }
  WithdrawRivals(points, by_unicast, kind, claims);
  return claims;
}

}  // namespace

void AddressSurvey::Add(const DecodedPacket& packet) {
  constexpr size_t kMaxFlows = 4096;
  if (packet.direction == CopyDirection::kOther) return;
  const bool is_arp = packet.ip_version == 0;
  const Flow flow{packet.link_source, packet.link_destination, is_arp ? 0 : packet.source,
                  is_arp ? 0 : packet.destination,
                  uint32_t{packet.ip_version} * 2 + (packet.is_group ? 1 : 0)};
  if (flow == last_flow_) {
    ++last_flow_frames_;
    return;
  }
  if (last_flow_frames_ > 0) flows_[last_flow_] += last_flow_frames_;
  last_flow_ = flow;
  last_flow_frames_ = 1;
  if (flows_.size() >= kMaxFlows) FlushFlows();
}

void AddressSurvey::FlushFlows() {
  for (const auto& [flow, frames] : flows_) {
    const bool is_group = flow.version_and_group % 2 != 0;
    const uint32_t version = flow.version_and_group / 2;
    Count(AddressKind::kLink, flow.link_source, flow.link_destination, is_group, frames);
    if (version == 0) continue;
    Count(version == 4 ? AddressKind::kIpv4 : AddressKind::kIpv6, flow.source, flow.destination,
          is_group, frames);
  }
  flows_.clear();
}

void AddressSurvey::Count(AddressKind kind, uint64_t source, uint64_t destination, bool is_group,
                          uint64_t frames) {
  Table& table = tables_[static_cast<size_t>(kind)];
  const auto counts = [&](uint64_t address) -> Counts* {
    const auto found = table.addresses.find(address);
    if (found != table.addresses.end()) return &found->second;
    if (address == 0) return nullptr;
    if (table.addresses.size() >= kMaxAddresses) {
      table.is_complete = false;
      return nullptr;
    }
    return &table.addresses[address];
  };
  if (is_group) {
    if (Counts* from = counts(source)) from->sent_group += frames;
    return;
  }
  if (destination == 0 || source == destination) return;
  table.unicast += frames;
  if (Counts* from = counts(source)) from->sent += frames;
  if (Counts* to = counts(destination)) to->received += frames;
}

std::array<AddressSurvey::Table, kAddressKinds> AddressSurvey::TakeTables() {
  if (last_flow_frames_ > 0) flows_[last_flow_] += last_flow_frames_;
  last_flow_frames_ = 0;
  last_flow_ = {};
  FlushFlows();
  return std::exchange(tables_, {});
}

std::vector<OwnAddresses> DecideOwnAddresses(std::span<const CapturePoint> points) {
  std::vector<OwnAddresses> own(points.size());
  for (size_t kind = 0; kind < kAddressKinds; ++kind) {
    const Claims claims = DecideKind(points, kind);
    for (size_t i = 0; i < points.size(); ++i) {
      const bool link_known = own[i].of(AddressKind::kLink) != 0;
      if (kind == 0 || !link_known) own[i].address[kind] = claims[i].address;
      const auto& table = points[i].tables[kind];
      const bool tie = claims[i].address == 0 && !link_known && table.unicast >= kEnoughFrames;
      if (tie) own[i].tied[kind] = Pervasive(table);
    }
  }
  return own;
}

bool IsBetweenTied(const DecodedPacket& packet, const OwnAddresses& own) {
  const auto both = [&](AddressKind kind, uint64_t x, uint64_t y) {
    const auto& tied = own.tied[static_cast<size_t>(kind)];
    return std::ranges::find(tied, x) != tied.end() && std::ranges::find(tied, y) != tied.end();
  };
  if (packet.is_group) return false;
  if (packet.link_destination != 0) {
    return both(AddressKind::kLink, packet.link_source, packet.link_destination);
  }
  return both(packet.ip_version == 6 ? AddressKind::kIpv6 : AddressKind::kIpv4, packet.source,
              packet.destination);
}

CopyDirection DirectionOf(const DecodedPacket& packet, const OwnAddresses& own) {
  const uint64_t link = own.of(AddressKind::kLink);
  const bool to_others = link != 0 && packet.link_destination != 0 && !packet.is_group &&
                         packet.link_source != link && packet.link_destination != link;
  if (to_others) return CopyDirection::kOther;
  if (packet.direction != CopyDirection::kUnknown) return packet.direction;
  if (link != 0 && packet.link_destination != 0) {
    return packet.link_source == link ? CopyDirection::kOut : CopyDirection::kIn;
  }
  // ARP names IPv4 addresses.
  const uint64_t ip = own.of(packet.ip_version == 6 ? AddressKind::kIpv6 : AddressKind::kIpv4);
  if (ip == 0) return CopyDirection::kUnknown;
  if (packet.source == ip) return CopyDirection::kOut;
  if (packet.destination == ip || packet.is_group) return CopyDirection::kIn;
  return CopyDirection::kUnknown;
}

}  // namespace syncline
