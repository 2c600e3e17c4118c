// Which addresses belong to the host that made a capture, and so which way each packet went.
//
// Method: a host's link address is source or destination in nearly all unicast frames that it
// captures, in both roles, and alone in that; or, of several, the only one that also converses with
// others (flooding shows one direction only). A tie is broken by elimination: addresses that other
// captures own by such evidence are not ours; and as a host sends at least one frame in its
// capture, the only source address that remains (broadcasts included) is ours, unless another
// capture that owns none may own it. Where the link leaves a tie or has no addresses, the same
// holds for IP addresses, by family.
// Ownership: values. Cost: one hash look-up per packet; memory bounded by kMaxAddresses.
// Tested by: own_address_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "syncline/id.h"

#include "base/parcel.h"
#include "match/packet_decode.h"

namespace syncline {

// The kinds of address that are judged apart.
enum class AddressKind : uint8_t { kLink, kIpv4, kIpv6 };
inline constexpr size_t kAddressKinds = 3;

// 0 where it could not be decided. The IP addresses are only looked for without a link address.
struct OwnAddresses {
  std::array<uint64_t, kAddressKinds> address = {};
  // The addresses of a tie, of which one is ours; empty without a tie.
  std::array<std::vector<uint64_t>, kAddressKinds> tied = {};
  static auto Members(auto& self) { return std::tie(self.address, self.tied); }
  uint64_t of(AddressKind kind) const { return address[static_cast<size_t>(kind)]; }
};

// The addresses in the packets of one capture point (one interface of one capture).
class AddressSurvey {
 public:
  static constexpr size_t kMaxAddresses = size_t{1} << 16;

  struct Counts {
    uint64_t sent = 0;      // unicast frames from this address
    uint64_t received = 0;  // unicast frames to this address
    uint64_t sent_group = 0;
  };
  struct Table {
    absl::flat_hash_map<uint64_t, Counts> addresses;
    uint64_t unicast = 0;
    bool is_complete = true;  // false when addresses beyond kMaxAddresses were left out
    static auto Members(auto& self) {
      return std::tie(self.addresses, self.unicast, self.is_complete);
    }
  };

  void Add(const DecodedPacket& packet);
  // All that was added; the survey is empty afterwards.
  std::array<Table, kAddressKinds> TakeTables();
  AddressSurvey() = default;
  // What another process took.
  explicit AddressSurvey(std::array<Table, kAddressKinds> tables) : tables_(std::move(tables)) {}

 private:
  struct Flow {
    uint64_t link_source = 0;
    uint64_t link_destination = 0;
    uint64_t source = 0;
    uint64_t destination = 0;
    uint32_t version_and_group = 0;
    friend bool operator==(const Flow&, const Flow&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Flow& f) {
      return H::combine(std::move(h), f.link_source, f.link_destination, f.source, f.destination,
                        f.version_and_group);
    }
  };

  void FlushFlows();
  void Count(AddressKind kind, uint64_t source, uint64_t destination, bool is_group,
             uint64_t frames);

  Flow last_flow_;
  uint64_t last_flow_frames_ = 0;
  absl::flat_hash_map<Flow, uint64_t> flows_;
  std::array<Table, kAddressKinds> tables_;
};

struct CapturePoint {
  ClockId clock;
  std::array<AddressSurvey::Table, kAddressKinds> tables;
};

// One element per capture point.
std::vector<OwnAddresses> DecideOwnAddresses(std::span<const CapturePoint> points);

// True when both ends of a unicast packet are among the tied addresses: the host that captured it
// has sent or received it.
bool IsBetweenTied(const DecodedPacket& packet, const OwnAddresses& own);

// What the recorder says, else what the own addresses tell.
CopyDirection DirectionOf(const DecodedPacket& packet, const OwnAddresses& own);

}  // namespace syncline
