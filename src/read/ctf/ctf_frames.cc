#include "read/ctf/ctf_frames.h"

#include <algorithm>
#include <bit>

namespace syncline::ctf_frames {
namespace {

// A vector of any elements: its size, then each by itself.
template <typename T, typename Pack>
void PackEach(const std::vector<T>& values, Packer& packer, Pack pack) {
  packer.Put(uint64_t{values.size()});
  for (const T& value : values) pack(value);
}

template <typename Unpack>
auto UnpackEach(Unpacker& unpacker, Unpack unpack) {
  std::vector<decltype(unpack())> values;
  const auto count = unpacker.Get<uint64_t>();
  if (!unpacker.CanHold(count)) return values;
  for (uint64_t i = 0; i < count && unpacker.is_valid(); ++i) values.push_back(unpack());
  return values;
}

void PackTexts(const std::vector<std::string>& texts, Packer& packer) {
  PackEach(texts, packer, [&](const std::string& text) { packer.PutText(text); });
}

std::vector<std::string> UnpackTexts(Unpacker& unpacker) {
  return UnpackEach(unpacker, [&] { return std::string(unpacker.GetText()); });
}

void PackClock(const CtfClock& clock, Packer& packer) {
  packer.PutText(clock.name);
  packer.PutText(clock.uuid);
  packer.Put(clock.frequency);
  packer.Put(clock.offset_s);
  packer.Put(clock.offset_cycles);
  packer.Put(clock.precision);
  packer.Put(clock.origin);
}

CtfClock UnpackClock(Unpacker& unpacker) {
  CtfClock clock;
  clock.name = unpacker.GetText();
  clock.uuid = unpacker.GetText();
  clock.frequency = unpacker.Get<uint64_t>();
  clock.offset_s = unpacker.Get<int64_t>();
  clock.offset_cycles = unpacker.Get<uint64_t>();
  clock.precision = unpacker.Get<uint64_t>();
  clock.origin = unpacker.Get<int64_t>();
  return clock;
}

CtfStreamInfo UnpackStream(Unpacker& unpacker) {
  CtfStreamInfo stream;
  stream.file = unpacker.GetText();
  stream.channel = unpacker.GetText();
  const auto has_clock = unpacker.Get<uint8_t>();
  const auto clock = unpacker.Get<uint32_t>();
  if (has_clock > 1) unpacker.SayGarbled();
  if (has_clock == 1) stream.clock = clock;
  return stream;
}

CtfClassInfo UnpackClass(Unpacker& unpacker) {
  CtfClassInfo info;
  info.name = unpacker.GetText();
  info.fields = UnpackTexts(unpacker);
  info.has_packets = unpacker.Get<uint8_t>() != 0;
  return info;
}

bool AreClocksThere(const CtfTraceInfo& info) {
  if (std::any_of(info.clocks.begin(), info.clocks.end(),
                  [](const CtfClock& clock) { return clock.frequency == 0; })) {
    return false;
  }
  return std::all_of(info.streams.begin(), info.streams.end(), [&](const CtfStreamInfo& stream) {
    return !stream.clock || *stream.clock < info.clocks.size();
  });
}

tl::unexpected<Error> Garbled() { return Fail(ErrorCode::kMalformed, "garbled results"); }

}  // namespace

std::string PackInfo(const Result<CtfTraceInfo>& info) {
  Packer packer;
  packer.Put(static_cast<uint8_t>(info.has_value()));
  if (!info) {
    PackError(info.error(), packer);
    return std::string(packer.bytes());
  }
  packer.PutText(info->hostname);
  PackEach(info->clocks, packer, [&](const CtfClock& clock) { PackClock(clock, packer); });
  PackEach(info->classes, packer, [&](const CtfClassInfo& one) {
    packer.PutText(one.name);
    PackTexts(one.fields, packer);
    packer.Put(static_cast<uint8_t>(one.has_packets));
  });
  PackEach(info->streams, packer, [&](const CtfStreamInfo& stream) {
    packer.PutText(stream.file);
    packer.PutText(stream.channel);
    packer.Put(static_cast<uint8_t>(stream.clock.has_value()));
    packer.Put(stream.clock.value_or(0));
  });
  return std::string(packer.bytes());
}

Result<CtfTraceInfo> UnpackInfo(Unpacker& unpacker) {
  if (unpacker.Get<uint8_t>() == 0) {
    return unpacker.is_valid() ? tl::unexpected(UnpackError(unpacker)) : Garbled();
  }
  CtfTraceInfo info;
  info.hostname = unpacker.GetText();
  info.clocks = UnpackEach(unpacker, [&] { return UnpackClock(unpacker); });
  info.classes = UnpackEach(unpacker, [&] { return UnpackClass(unpacker); });
  info.streams = UnpackEach(unpacker, [&] { return UnpackStream(unpacker); });
  if (!unpacker.is_valid() || !unpacker.is_over() || !AreClocksThere(info)) return Garbled();
  return info;
}

std::string PackRequest(const CtfRequest& request) {
  Packer packer;
  packer.PutAll(std::span(request.origins));
  PackEach(request.classes, packer, [&](const CtfRequest::Class& one) {
    packer.Put(one.is_wanted);
    PackTexts(one.fields, packer);
    packer.Put(one.packets);
  });
  packer.Put(request.class_numbers);
  return std::string(packer.bytes());
}

CtfRequest UnpackRequest(Unpacker& unpacker) {
  CtfRequest request;
  request.origins = unpacker.GetAll<int64_t>();
  request.classes = UnpackEach(unpacker, [&] {
    CtfRequest::Class one;
    one.is_wanted = unpacker.Get<bool>();
    one.fields = UnpackTexts(unpacker);
    one.packets = unpacker.Get<bool>();
    return one;
  });
  request.class_numbers = unpacker.Get<CtfRequest::Numbers>();
  return request;
}

void PackValue(const FieldValue& value, Packer& packer) {
  using enum FieldValue::Kind;
  const auto put = [&](uint64_t number) {
    packer.PutShort(number, static_cast<uint8_t>(value.kind()));
  };
  switch (value.kind()) {
    case kNone: return put(0);
    case kSigned: return put(static_cast<uint64_t>(value.as_signed()));
    case kUnsigned: return put(value.as_unsigned());
    case kReal: return put(std::bit_cast<uint64_t>(value.as_real()));
    case kText: put(value.text().size()); packer.Append(value.text());
  }
}

FieldValue UnpackValue(Unpacker& unpacker) {
  using enum FieldValue::Kind;
  const auto [number, kind] = unpacker.GetShort();
  switch (static_cast<FieldValue::Kind>(kind)) {
    case kSigned: return FieldValue::Signed(static_cast<int64_t>(number));
    case kUnsigned: return FieldValue::Unsigned(number);
    case kReal: return FieldValue::Real(std::bit_cast<double>(number));
    case kText: return FieldValue::Text(unpacker.GetBytes(number));
    default:
      if (kind != static_cast<uint8_t>(kNone)) unpacker.SayGarbled();
      return {};
  }
}

void PackPacket(const KernelPacket& packet, Packer& packer) {
  packer.PutAll(std::span(packet.bytes).first(packet.size));
  packer.Put(packet.original_length);
  packer.Put(packet.link);
  packer.Put(packet.direction);
  packer.PutText(packet.device);
}

KernelPacket UnpackPacket(Unpacker& unpacker) {
  KernelPacket packet;
  const std::string_view bytes = unpacker.GetText();
  packet.size = std::min(bytes.size(), KernelPacket::kMaxBytes);
  std::memcpy(packet.bytes.data(), bytes.data(), packet.size);
  packet.original_length = unpacker.Get<uint32_t>();
  packet.link = unpacker.Get<LinkType>();
  packet.direction = unpacker.Get<PacketDirection>();
  const bool is_sound =
      bytes.size() <= KernelPacket::kMaxBytes && packet.direction <= PacketDirection::kOutbound;
  if (!is_sound) {
    unpacker.SayGarbled();
    packet.direction = PacketDirection::kUnknown;
  }
  packet.device = unpacker.GetText();
  return packet;
}

std::string PackEnd(const CtfStreamDefects& defects, const std::optional<Error>& error) {
  Packer packer;
  packer.Put(Kind::kEnd);
  packer.Put(static_cast<uint8_t>(error.has_value()));
  if (error) {
    PackError(*error, packer);
  } else {
    for (const uint64_t count : {defects.steps_back, defects.largest_step, defects.first_step,
                                 defects.lost_events, defects.lost_packets, defects.out_of_range}) {
      packer.Put(count);
    }
    for (const bool flag : {defects.loss_is_least, defects.is_out_of_order}) {
      packer.Put(static_cast<uint8_t>(flag));
    }
  }
  return std::string(packer.bytes());
}

Result<CtfStreamDefects> UnpackEnd(Unpacker& unpacker) {
  const auto is_error = unpacker.Get<uint8_t>();
  if (is_error == 1) {
    Error error = UnpackError(unpacker);
    return unpacker.is_valid() ? tl::unexpected(std::move(error)) : Garbled();
  }
  CtfStreamDefects defects;
  for (uint64_t* count : {&defects.steps_back, &defects.largest_step, &defects.first_step,
                          &defects.lost_events, &defects.lost_packets, &defects.out_of_range}) {
    *count = unpacker.Get<uint64_t>();
  }
  for (bool* flag : {&defects.loss_is_least, &defects.is_out_of_order}) {
    const auto value = unpacker.Get<uint8_t>();
    if (value > 1) unpacker.SayGarbled();
    *flag = value == 1;
  }
  if (is_error != 0 || !unpacker.is_valid() || !unpacker.is_over()) return Garbled();
  return defects;
}

}  // namespace syncline::ctf_frames
