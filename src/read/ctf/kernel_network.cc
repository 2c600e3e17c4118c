// How it works: a header's class is turned into a list of its members and the bits where each
// belongs in the header on the wire; reading an event puts the members' values there.

#include "read/ctf/kernel_network.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "read/ctf/library.h"

namespace syncline {
namespace {

struct HeaderField {
  std::string_view name;
  size_t first_bit = 0;  // from the most significant of the first byte
  size_t bits = 0;
};

// A member of a structure field and the bits where it belongs in a packet's header: an integer, or
// an array of integers of equal width, the first one first. Numbers are written in network byte
// order.
struct PlacedMember {
  uint64_t member = 0;  // its number in the structure
  size_t first_bit = 0;
  size_t bits = 0;  // of one number
  size_t numbers = 1;
  bool is_array = false;
};

// Tracers put underscores before names.
std::string_view WithoutUnderscores(std::string_view name) {
  const size_t begin = name.find_first_not_of('_');
  return begin == std::string_view::npos ? std::string_view() : name.substr(begin);
}

// The number of the member called so, with or without underscores. Requires a structure.
std::optional<uint64_t> MemberNamed(const bt_field_class* structure, std::string_view name) {
  const uint64_t members = bt_field_class_structure_get_member_count(structure);
  for (uint64_t i = 0; i < members; ++i) {
    const auto* const member = bt_field_class_structure_borrow_member_by_index_const(structure, i);
    if (WithoutUnderscores(bt_field_class_structure_member_get_name(member)) == name) return i;
  }
  return std::nullopt;
}

bool IsInteger(const bt_field_class* field_class) {
  return IsA(field_class, BT_FIELD_CLASS_TYPE_INTEGER);
}

std::optional<PlacedMember> Place(const bt_field_class* structure, const HeaderField& field) {
  const auto member = MemberNamed(structure, field.name);
  if (!member) return std::nullopt;
  PlacedMember placed = {*member, field.first_bit, field.bits};
  const bt_field_class* const field_class = ClassOfMember(structure, *member);
  if (IsInteger(field_class)) return field.bits <= 64 ? std::optional(placed) : std::nullopt;
  if (!IsA(field_class, BT_FIELD_CLASS_TYPE_STATIC_ARRAY)) return std::nullopt;
  if (!IsInteger(bt_field_class_array_borrow_element_field_class_const(field_class))) {
    return std::nullopt;
  }
  placed.is_array = true;
  placed.numbers = bt_field_class_array_static_get_length(field_class);
  if (placed.numbers == 0 || field.bits % placed.numbers != 0) return std::nullopt;
  placed.bits = field.bits / placed.numbers;
  return placed.bits <= 64 ? std::optional(placed) : std::nullopt;
}

// Nothing where the class is no structure, lacks a field, or has it of another kind.
std::optional<std::vector<PlacedMember>> PlaceMembers(const bt_field_class* structure,
                                                      std::span<const HeaderField> fields) {
  if (!IsA(structure, BT_FIELD_CLASS_TYPE_STRUCTURE)) return std::nullopt;
  std::vector<PlacedMember> placed;
  for (const HeaderField& field : fields) {
    const auto member = Place(structure, field);
    if (!member) return std::nullopt;
    placed.push_back(*member);
  }
  return placed;
}

uint64_t NumberIn(const bt_field* field) {
  const bool is_unsigned = bt_field_class_type_is(bt_field_get_class_type(field),
                                                  BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER) == BT_TRUE;
  return is_unsigned ? bt_field_integer_unsigned_get_value(field)
                     : static_cast<uint64_t>(bt_field_integer_signed_get_value(field));
}

// From the least significant bit on, a byte at a time.
void PutBits(std::span<std::byte> header, size_t first_bit, size_t bits, uint64_t number) {
  size_t end = first_bit + bits;
  while (end > first_bit) {
    const size_t byte = (end - 1) / 8;
    const size_t begin = std::max(first_bit, byte * 8);
    const size_t width = end - begin;
    const uint64_t part = number & ((1u << width) - 1);
    header[byte] |= static_cast<std::byte>(part << (byte * 8 + 8 - end));
    number >>= width;
    end = begin;
  }
}

// Writes the members into `header`, whose bits there are zero. Requires a structure of the class
// for which they were placed, and room for all of them.
void PutMembers(const bt_field* structure, std::span<const PlacedMember> members,
                std::span<std::byte> header) {
  for (const PlacedMember& member : members) {
    const bt_field* const field =
        bt_field_structure_borrow_member_field_by_index_const(structure, member.member);
    if (!member.is_array) {
      PutBits(header, member.first_bit, member.bits, NumberIn(field));
      continue;
    }
    for (uint64_t i = 0; i < member.numbers; ++i) {
      const bt_field* const element = bt_field_array_borrow_element_field_by_index_const(field, i);
      PutBits(header, member.first_bit + i * member.bits, member.bits, NumberIn(element));
    }
  }
}

constexpr size_t kIpv4Bytes = 20;
constexpr size_t kIpv6Bytes = 40;
constexpr size_t kTcpBytes = 20;
constexpr size_t kIcmpBytes = 8;
constexpr size_t kUdpBytes = 8;

constexpr HeaderField kIpv4Fields[] = {
    {"version", 0, 4}, {"ihl", 4, 4},        {"tos", 8, 8},  {"tot_len", 16, 16},
    {"id", 32, 16},    {"frag_off", 48, 16}, {"ttl", 64, 8}, {"protocol", 72, 8},
    {"saddr", 96, 32}, {"daddr", 128, 32},
};
constexpr HeaderField kIpv6Fields[] = {
    {"version", 0, 4},    {"flow_lbl", 8, 24}, {"payload_len", 32, 16}, {"nexthdr", 48, 8},
    {"hop_limit", 56, 8}, {"saddr", 64, 128},  {"daddr", 192, 128},
};
constexpr HeaderField kTcpFields[] = {
    {"source_port", 0, 16}, {"dest_port", 16, 16}, {"seq", 32, 32},          {"ack_seq", 64, 32},
    {"data_offset", 96, 4}, {"flags", 103, 9},     {"window_size", 112, 16}, {"urg_ptr", 144, 16},
};
constexpr HeaderField kUdpFields[] = {
    {"source_port", 0, 16}, {"dest_port", 16, 16}, {"len", 32, 16}};
constexpr HeaderField kIcmpFields[] = {
    {"type", 0, 8}, {"code", 8, 8}, {"checksum", 16, 16}, {"gateway", 32, 32}};

enum class Header : uint8_t { kNone, kIpv4, kIpv6, kTcp, kUdp, kIcmp };

struct HeaderKind {
  std::string_view name;  // of the option of a variant
  Header header;
  std::span<const HeaderField> fields;
  size_t bytes;
};
constexpr HeaderKind kNetworks[] = {{"ipv4", Header::kIpv4, kIpv4Fields, kIpv4Bytes},
                                    {"ipv6", Header::kIpv6, kIpv6Fields, kIpv6Bytes}};
constexpr HeaderKind kTransports[] = {{"tcp", Header::kTcp, kTcpFields, kTcpBytes},
                                      {"udp", Header::kUdp, kUdpFields, kUdpBytes},
                                      {"icmp", Header::kIcmp, kIcmpFields, kIcmpBytes}};

struct EventName {
  std::string_view name;
  PacketDirection direction;
  bool has_headers;  // else the numbers of a TCP segment alone
};
constexpr EventName kEventNames[] = {
    {"net_dev_queue", PacketDirection::kOutbound, true},
    {"netif_receive_skb", PacketDirection::kInbound, true},
    {"net_if_receive_skb", PacketDirection::kInbound, true},
    {"inet_sock_local_out", PacketDirection::kOutbound, false},
    {"inet_sock_local_in", PacketDirection::kInbound, false},
};

const EventName* NetworkEventNamed(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kEventNames), std::end(kEventNames),
                                         [&](const EventName& e) { return e.name == name; });
  return found == std::end(kEventNames) ? nullptr : found;
}

// One option of a variant of headers.
struct Option {
  Header header = Header::kNone;
  size_t bytes = 0;
  std::vector<PlacedMember> members;
  std::optional<uint64_t> next;  // the member that is the variant of the next header
  std::vector<Option> next_options;
};

std::vector<Option> OptionsOf(const bt_field_class* variant, std::span<const HeaderKind> kinds);

Option OptionOf(const HeaderKind& kind, const bt_field_class* structure) {
  Option option;
  auto members = PlaceMembers(structure, kind.fields);
  if (!members) return option;
  option.header = kind.header;
  option.bytes = kind.bytes;
  option.members = std::move(*members);
  const auto next = MemberNamed(structure, "transport_header");
  if (next && IsA(ClassOfMember(structure, *next), BT_FIELD_CLASS_TYPE_VARIANT)) {
    option.next = next;
    option.next_options = OptionsOf(ClassOfMember(structure, *next), kTransports);
  }
  return option;
}

std::vector<Option> OptionsOf(const bt_field_class* variant, std::span<const HeaderKind> kinds) {
  std::vector<Option> options(bt_field_class_variant_get_option_count(variant));
  for (uint64_t i = 0; i < options.size(); ++i) {
    const auto* const option = bt_field_class_variant_borrow_option_by_index_const(variant, i);
    const std::string_view name =
        WithoutUnderscores(bt_field_class_variant_option_get_name(option));
    for (const HeaderKind& kind : kinds) {
      if (kind.name != name) continue;
      options[i] = OptionOf(kind, bt_field_class_variant_option_borrow_field_class_const(option));
    }
  }
  return options;
}

unsigned Byte(std::byte b) { return std::to_integer<unsigned>(b); }

bool IsFragment(std::span<const std::byte> ipv4) {
  return ((Byte(ipv4[6]) << 8 | Byte(ipv4[7])) & 0x3fff) != 0;
}

// What the matcher counts as an unsupported protocol: a frame of no known type.
KernelPacket Unsupported(KernelPacket packet) {
  constexpr size_t kEthernetBytes = 14;
  packet.bytes = {};
  packet.size = kEthernetBytes;
  packet.original_length = std::max(packet.original_length, uint32_t{kEthernetBytes});
  packet.link = LinkType::kEthernet;
  return packet;
}

}  // namespace

struct KernelPacketReader::Layout {
  PacketDirection direction = PacketDirection::kUnknown;
  std::optional<uint64_t> device;
  // The member that is the variant of network headers; none: numbers of a TCP segment alone.
  std::optional<uint64_t> network;
  std::vector<Option> networks;
  std::vector<PlacedMember> tcp_only;  // places in IPv4 and TCP headers

  KernelPacket ReadHeaders(const bt_field* payload, KernelPacket packet) const;
  KernelPacket ReadTcpNumbers(const bt_field* payload, KernelPacket packet) const;
};

namespace {

// The header of the selected option, from byte `begin` on, and the option; none where it is none.
const Option* ReadOption(const bt_field* variant, const std::vector<Option>& options, size_t begin,
                         KernelPacket& packet) {
  const uint64_t selected = bt_field_variant_get_selected_option_index(variant);
  if (selected >= options.size() || options[selected].header == Header::kNone) return nullptr;
  const Option& option = options[selected];
  const bt_field* const structure = bt_field_variant_borrow_selected_option_field_const(variant);
  PutMembers(structure, option.members, std::span(packet.bytes).subspan(begin, option.bytes));
  return &option;
}

// With options of the header, which are not recorded.
size_t WholeLength(const Option& option, std::span<const std::byte> header) {
  if (option.header == Header::kIpv4) return (Byte(header[0]) & 0xf) * size_t{4};
  if (option.header == Header::kTcp) return (Byte(header[12]) >> 4) * size_t{4};
  return option.bytes;
}

uint32_t LengthOnTheWire(const Option& network, std::span<const std::byte> header) {
  const size_t at = network.header == Header::kIpv4 ? 2 : 4;
  const uint32_t recorded = Byte(header[at]) << 8 | Byte(header[at + 1]);
  return recorded + (network.header == Header::kIpv6 ? uint32_t{kIpv6Bytes} : 0);
}

}  // namespace

KernelPacket KernelPacketReader::Layout::ReadHeaders(const bt_field* payload,
                                                     KernelPacket packet) const {
  const bt_field* const variant =
      bt_field_structure_borrow_member_field_by_index_const(payload, *network);
  const Option* const option = ReadOption(variant, networks, 0, packet);
  if (option == nullptr || !option->next) return Unsupported(packet);
  const size_t network_bytes = std::max(WholeLength(*option, packet.bytes), option->bytes);
  packet.original_length = LengthOnTheWire(*option, packet.bytes);
  packet.size = network_bytes;
  const bt_field* const structure = bt_field_variant_borrow_selected_option_field_const(variant);
  const bt_field* const next =
      bt_field_structure_borrow_member_field_by_index_const(structure, *option->next);
  const Option* const transport = ReadOption(next, option->next_options, network_bytes, packet);
  if (transport == nullptr) {
    const bool is_fragment = option->header == Header::kIpv4 && IsFragment(packet.bytes);
    return is_fragment ? packet : Unsupported(packet);
  }
  const auto header = std::span<const std::byte>(packet.bytes).subspan(network_bytes);
  packet.size += std::max(WholeLength(*transport, header), transport->bytes);
  packet.original_length = std::max(packet.original_length, static_cast<uint32_t>(packet.size));
  return packet;
}

KernelPacket KernelPacketReader::Layout::ReadTcpNumbers(const bt_field* payload,
                                                        KernelPacket packet) const {
  PutMembers(payload, tcp_only, packet.bytes);
  packet.size = kIpv4Bytes + kTcpBytes;
  packet.original_length = static_cast<uint32_t>(packet.size);
  packet.bytes[0] = std::byte{0x45};  // version 4, five words
  packet.bytes[3] = static_cast<std::byte>(packet.size);
  packet.bytes[9] = std::byte{6};                   // TCP
  packet.bytes[kIpv4Bytes + 12] = std::byte{0x50};  // five words
  return packet;
}

namespace {

// Versions differ in how they record the 16 bits of offset and flags, so these are not taken apart
// but stand where the urgent pointer would.
constexpr size_t kTcpBit = kIpv4Bytes * 8;
constexpr HeaderField kTcpNumbers[] = {{"seq", kTcpBit + 32, 32},
                                       {"ack_seq", kTcpBit + 64, 32},
                                       {"window", kTcpBit + 112, 16},
                                       {"flags", kTcpBit + 144, 16}};

}  // namespace

Packet KernelPacket::At(uint64_t index, LocalTime time) const {
  Packet packet;
  packet.index = index;
  packet.time = time;
  packet.bytes = std::span(bytes).first(size);
  packet.original_length = original_length;
  packet.link = link;
  packet.direction = direction;
  return packet;
}

bool IsKernelNetworkEvent(std::string_view name) { return NetworkEventNamed(name) != nullptr; }

KernelPacketReader::KernelPacketReader(std::unique_ptr<const Layout> layout)
    : layout_(std::move(layout)) {}
KernelPacketReader::KernelPacketReader(KernelPacketReader&&) noexcept = default;
KernelPacketReader& KernelPacketReader::operator=(KernelPacketReader&&) noexcept = default;
KernelPacketReader::~KernelPacketReader() = default;

std::optional<KernelPacketReader> KernelPacketReader::For(const bt_event_class* event_class) {
  const char* const name = bt_event_class_get_name(event_class);
  const EventName* const event = name == nullptr ? nullptr : NetworkEventNamed(name);
  const bt_field_class* const payload =
      bt_event_class_borrow_payload_field_class_const(event_class);
  if (event == nullptr || payload == nullptr) return std::nullopt;
  auto layout = std::make_unique<Layout>();
  layout->direction = event->direction;
  if (event->has_headers) {
    const auto network = MemberNamed(payload, "network_header");
    if (!network || !IsA(ClassOfMember(payload, *network), BT_FIELD_CLASS_TYPE_VARIANT)) {
      return std::nullopt;
    }
    layout->network = network;
    layout->networks = OptionsOf(ClassOfMember(payload, *network), kNetworks);
    const auto device = MemberNamed(payload, "name");
    if (device && IsA(ClassOfMember(payload, *device), BT_FIELD_CLASS_TYPE_STRING)) {
      layout->device = device;
    }
  } else {
    auto members = PlaceMembers(payload, kTcpNumbers);
    if (!members) return std::nullopt;
    layout->tcp_only = std::move(*members);
  }
  return KernelPacketReader(std::move(layout));
}

KernelPacket KernelPacketReader::Read(const bt_event* event) const {
  const bt_field* const payload = bt_event_borrow_payload_field_const(event);
  KernelPacket packet;
  packet.direction = layout_->direction;
  if (layout_->device) {
    packet.device = bt_field_string_get_value(
        bt_field_structure_borrow_member_field_by_index_const(payload, *layout_->device));
  }
  return layout_->network ? layout_->ReadHeaders(payload, packet)
                          : layout_->ReadTcpNumbers(payload, packet);
}

}  // namespace syncline
