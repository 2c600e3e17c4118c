#include "match/packet_matcher.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"
#include "match/packet_identity.h"

namespace syncline {
namespace {

PacketFate FateOf(DecodeStatus status) {
  switch (status) {
    case DecodeStatus::kFragment: return PacketFate::kFragment;
    case DecodeStatus::kHeaderCut: return PacketFate::kHeaderCut;
    case DecodeStatus::kMalformed: return PacketFate::kMalformed;
    case DecodeStatus::kUnsupported:
    case DecodeStatus::kMatchable: break;
  }
  return PacketFate::kUnsupported;
}

// An order that the order of captures and packets has no part in, as far as times tell them apart.
bool ComesBefore(const PacketRecord& x, const PacketRecord& y) {
  const auto order = [](const PacketRecord& r) {
    return std::tuple(r.loose, r.strict, uint32_t{r.direction_bits}, r.time, r.index());
  };
  return order(x) < order(y);
}

std::string NameOf(std::span<const CaptureOrigin> origins, size_t capture) {
  const std::string& name = origins[capture].name;
  return name.empty() ? fmt::format("capture {}", capture + 1) : name;
}

// The first of the captures with a finding is its example.
void CountDiagnostics(const PacketMatchCounts& counts, std::span<const CaptureOrigin> origins,
                      std::span<const size_t> captures, Diagnostics& diagnostics) {
  for (size_t f = 0; f < kPacketFates; ++f) {
    const auto fate = static_cast<PacketFate>(f);
    const FateName name = NameOf(fate);
    for (size_t c = 0; c < captures.size() && !name.diagnostic.empty(); ++c) {
      diagnostics.Count(name.diagnostic, name.severity, counts.captures[captures[c]][fate],
                        NameOf(origins, captures[c]));
    }
  }
}

}  // namespace

PacketMatcher::PacketMatcher(std::vector<CaptureOrigin> captures, PacketMatchOptions options)
    : origins_(std::move(captures)),
      captures_(origins_.size()),
      order_(options.order),
      store_(options.memory_bytes) {}

size_t PacketMatcher::AddCapture(CaptureOrigin capture) {
  origins_.push_back(std::move(capture));
  captures_.emplace_back();
  return captures_.size() - 1;
}

PacketMatcher::Point& PacketMatcher::PointOf(Capture& capture, uint32_t interface) {
  // A file that invents interfaces without end has its last ones taken together.
  constexpr size_t kMaxInterfaces = 1024;
  auto& points = capture.points;
  const bool repeated =
      capture.last_point < points.size() && points[capture.last_point].interface == interface;
  if (repeated) return points[capture.last_point];
  auto found = std::ranges::find(points, interface, &Point::interface);
  if (found == points.end() && points.size() >= kMaxInterfaces) --found;
  if (found == points.end()) found = points.insert(found, Point{interface, {}, {}});
  capture.last_point = static_cast<size_t>(found - points.begin());
  return *found;
}

void PacketMatcher::Survey(size_t capture, const Packet& packet) {
  const DecodedPacket decoded = DecodePacket(packet);
  PointOf(captures_[capture], packet.interface).survey.Add(decoded);
  if (decoded.status != DecodeStatus::kMatchable) return;
  const size_t kept = packet.bytes.size() - decoded.network_offset;
  if (kept < decoded.network_length) {
    uint32_t& least = captures_[capture].kept_length;
    least = std::min(least, static_cast<uint32_t>(kept));
  }
}

void PacketMatcher::EndSurvey(Diagnostics& diagnostics) {
  std::vector<CapturePoint> points;
  for (size_t c = 0; c < captures_.size(); ++c) {
    hashed_length_ = std::min(hashed_length_, captures_[c].kept_length);
    for (Point& point : captures_[c].points) {
      points.push_back({origins_[c].clock, point.survey.TakeTables()});
    }
  }
  auto own = DecideOwnAddresses(points);
  size_t next = 0;
  for (size_t c = 0; c < captures_.size(); ++c) {
    for (Point& point : captures_[c].points) {
      point.own = std::move(own[next++]);
      const bool has_link = !points[next - 1].tables[0].addresses.empty();
      if (!has_link || point.own.of(AddressKind::kLink) != 0) continue;
      diagnostics.Count("own-address-unknown", Severity::kInfo, 1, NameOf(origins_, c));
    }
  }
}

void PacketMatcher::PutSurvey(size_t capture, Parcel& parcel) {
  Capture& from = captures_[capture];
  parcel.Put(from.kept_length, from.points.size());
  for (Point& point : from.points) parcel.Put(point.interface, point.survey.TakeTables());
}

void PacketMatcher::TakeSurvey(size_t capture, ParcelReader& parcel) {
  Capture& to = captures_[capture];
  to.kept_length = parcel.Take<uint32_t>();
  const auto points = parcel.Take<uint64_t>();
  for (uint64_t i = 0; i < points; ++i) {
    const auto interface = parcel.Take<uint32_t>();
    to.points.push_back(
        {interface, AddressSurvey(parcel.Take<decltype(CapturePoint::tables)>()), {}});
  }
}

void PacketMatcher::PutOwn(size_t capture, Parcel& parcel) const {
  parcel.Put(hashed_length_);
  for (const Point& point : captures_[capture].points) parcel.Put(point.own);
}

void PacketMatcher::TakeOwn(size_t capture, ParcelReader& parcel) {
  // The same for all captures, of which others may be prepared just now.
  const auto hashed_length = parcel.Take<uint32_t>();
  if (hashed_length_ != hashed_length) hashed_length_ = hashed_length;
  for (Point& point : captures_[capture].points) parcel.Take(point.own);
}

uint64_t PacketMatcher::own_link_address(size_t capture) const {
  const auto& points = captures_[capture].points;
  return points.empty() ? 0 : points[0].own.of(AddressKind::kLink);
}

uint16_t PacketMatcher::NumberOf(uint64_t address) {
  constexpr size_t kMaxNumber = 0xffff;
  const auto found = address_numbers_.find(address);
  if (found != address_numbers_.end()) return found->second;
  if (address_numbers_.size() >= kMaxNumber) return 0;
  const auto number = static_cast<uint16_t>(address_numbers_.size() + 1);
  address_numbers_.emplace(address, number);
  return number;
}

PacketMatcher::Prepared PacketMatcher::MakeRecord(size_t capture, const Packet& packet,
                                                  const DecodedPacket& decoded,
                                                  const Point& point) const {
  const PacketIdentity identity = IdentifyPacket(packet.bytes, decoded, hashed_length_);
  const CopyDirection direction = DirectionOf(decoded, point.own);
  Prepared prepared;
  PacketRecord& record = prepared.record;
  record.loose = identity.loose;
  record.strict = identity.strict;
  record.time = packet.time.ticks;
  record.index_low = static_cast<uint32_t>(packet.index);
  record.index_high = static_cast<uint8_t>(packet.index >> 32);
  record.capture = static_cast<uint16_t>(capture);
  record.hop_limit = decoded.hop_limit;
  record.payload_length = std::min(identity.payload_length, kMaxPayloadLength) & kMaxPayloadLength;
  record.direction_bits = static_cast<uint32_t>(direction) & 3;
  record.is_group = decoded.is_group ? 1 : 0;
  record.has_id = identity.has_id ? 1 : 0;
  record.is_mergeable = identity.is_mergeable ? 1 : 0;
  if (direction == CopyDirection::kUnknown) {
    record.concerns_host = IsBetweenTied(decoded, point.own) ? 1 : 0;
    prepared.source = decoded.source;
    prepared.destination = decoded.destination;
  }
  return prepared;
}

Result<std::optional<PacketMatcher::Prepared>> PacketMatcher::Prepare(size_t capture,
                                                                      const Packet& packet) {
  if (origins_.size() >= kMaxCaptures) {
    return Fail(ErrorCode::kUsage, fmt::format("more than {} captures", kMaxCaptures - 1));
  }
  if (packet.index > kMaxPacketIndex) {
    return Fail(ErrorCode::kUnsupported, "a capture has more than 2^40 packets");
  }
  Capture& from = captures_[capture];
  const DecodedPacket decoded = DecodePacket(packet);
  if (decoded.status != DecodeStatus::kMatchable) {
    ++from.counts[FateOf(decoded.status)];
    return std::nullopt;
  }
  Prepared prepared = MakeRecord(capture, packet, decoded, PointOf(from, packet.interface));
  if (prepared.record.direction() == CopyDirection::kOther) {
    ++from.counts[PacketFate::kOtherHosts];
    return std::nullopt;
  }
  return prepared;
}

Result<void> PacketMatcher::Store(const Prepared& prepared) {
  if (prepared.record.direction() != CopyDirection::kUnknown) return store_.Add(prepared.record);
  PacketRecord record = prepared.record;
  record.source = NumberOf(prepared.source);
  record.destination = NumberOf(prepared.destination);
  return store_.Add(record);
}

Result<void> PacketMatcher::Add(size_t capture, const Packet& packet) {
  SYNCLINE_ASSIGN(auto prepared, Prepare(capture, packet));
  return prepared ? Store(*prepared) : Result<void>();
}

Result<PacketMatchCounts> PacketMatcher::Finish(MessageSink& sink, Diagnostics& diagnostics) {
  MatchLedger ledger(origins_, sink);
  DirectionByTiming timing;
  RepeatsByTime repeats;
  SYNCLINE_TRY(JoinAll(ledger, timing, repeats));
  SYNCLINE_TRY(repeats.Finish(ledger, timing));
  SYNCLINE_TRY(timing.Finish(ledger));
  for (uint32_t c = 0; c < captures_.size(); ++c) {
    for (size_t f = 0; f < kPacketFates; ++f) {
      ledger.Fate(c, static_cast<PacketFate>(f), captures_[c].counts.by_fate[f]);
    }
  }
  for (uint32_t c = 0; c < store_.left_out().size(); ++c) {
    ledger.Fate(c, PacketFate::kAmbiguous, store_.left_out()[c]);
  }
  PacketMatchCounts counts = ledger.TakeCounts();
  std::vector<size_t> captures(captures_.size());
  std::iota(captures.begin(), captures.end(), size_t{0});
  if (order_ == PacketOrder::kAny) {
    std::ranges::sort(captures,
                      [&](size_t a, size_t b) { return origins_[a].name < origins_[b].name; });
  }
  CountDiagnostics(counts, origins_, captures, diagnostics);
  return counts;
}

Result<void> PacketMatcher::JoinAll(MatchLedger& ledger, DirectionByTiming& timing,
                                    RepeatsByTime& repeats) {
  for (;;) {
    SYNCLINE_ASSIGN(auto batch, store_.NextBatch());
    if (batch.empty()) return {};
    // Time tells repeats apart only when all of them are at hand.
    CopyResolver resolver(ledger, timing, store_.batch_is_whole() ? &repeats : nullptr);
    std::vector<PacketRecord> sorted;
    if (order_ == PacketOrder::kAny) {
      sorted.assign(batch.begin(), batch.end());
      std::ranges::sort(sorted, ComesBefore);
      batch = std::span<const PacketRecord>(sorted);
    }
    SYNCLINE_TRY(JoinBatch(batch, resolver));
  }
}

// Groups the batch by key: an open-addressing table of list heads, linked through `next`.
Result<void> PacketMatcher::JoinBatch(std::span<const PacketRecord> batch, CopyResolver& resolver) {
  constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
  const size_t mask = std::bit_ceil(batch.size() * 2) - 1;
  std::vector<uint32_t> heads(mask + 1, kNone);
  std::vector<uint32_t> next(batch.size(), kNone);
  for (uint32_t i = 0; i < batch.size(); ++i) {
    size_t slot = batch[i].loose & mask;
    while (heads[slot] != kNone && batch[heads[slot]].loose != batch[i].loose) {
      slot = (slot + 1) & mask;
    }
    next[i] = std::exchange(heads[slot], i);
  }
  std::vector<PacketRecord> group;
  for (const uint32_t head : heads) {
    if (head == kNone) continue;
    group.clear();
    for (uint32_t i = head; i != kNone; i = next[i]) group.push_back(batch[i]);
    SYNCLINE_TRY(resolver.Resolve(group));
  }
  return {};
}

}  // namespace syncline
