#include "read/ctf/ctf_frames.h"

#include <algorithm>
#include <bit>

namespace syncline::ctf_frames {
namespace {

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

Result<CtfTraceInfo> UnpackInfo(ParcelReader& reader) {
  auto info = reader.Take<Result<CtfTraceInfo>>();
  if (info && (!reader.is_valid() || !reader.is_at_end() || !AreClocksThere(*info))) {
    return Garbled();
  }
  return info;
}

void PackValue(const FieldValue& value, Parcel& parcel) {
  using enum FieldValue::Kind;
  const auto put = [&](uint64_t number) {
    parcel.PutShort(number, static_cast<uint8_t>(value.kind()));
  };
  switch (value.kind()) {
    case kNone: return put(0);
    case kSigned: return put(static_cast<uint64_t>(value.as_signed()));
    case kUnsigned: return put(value.as_unsigned());
    case kReal: return put(std::bit_cast<uint64_t>(value.as_real()));
    case kText: put(value.text().size()); parcel.Append(value.text());
  }
}

FieldValue UnpackValue(ParcelReader& reader) {
  using enum FieldValue::Kind;
  const auto [number, kind] = reader.TakeShort();
  switch (static_cast<FieldValue::Kind>(kind)) {
    case kSigned: return FieldValue::Signed(static_cast<int64_t>(number));
    case kUnsigned: return FieldValue::Unsigned(number);
    case kReal: return FieldValue::Real(std::bit_cast<double>(number));
    case kText: return FieldValue::Text(reader.TakeBytes(number));
    default:
      if (kind != static_cast<uint8_t>(kNone)) reader.SayGarbled();
      return {};
  }
}

void PackPacket(const KernelPacket& packet, Parcel& parcel) {
  parcel.Put(std::span(packet.bytes).first(packet.size), packet.original_length, packet.link,
             packet.direction, packet.device);
}

KernelPacket UnpackPacket(ParcelReader& reader) {
  KernelPacket packet;
  const std::string_view bytes = reader.Take<std::string_view>();
  packet.size = std::min(bytes.size(), KernelPacket::kMaxBytes);
  std::memcpy(packet.bytes.data(), bytes.data(), packet.size);
  reader.Take(packet.original_length, packet.link, packet.direction);
  const bool is_sound =
      bytes.size() <= KernelPacket::kMaxBytes && packet.direction <= PacketDirection::kOutbound;
  if (!is_sound) {
    reader.SayGarbled();
    packet.direction = PacketDirection::kUnknown;
  }
  reader.Take(packet.device);
  return packet;
}

std::string PackEnd(const CtfStreamDefects& defects, const std::optional<Error>& error) {
  const Result<CtfStreamDefects> end = defects;
  return FrameWith(Kind::kEnd, error ? tl::unexpected(*error) : end);
}

Result<CtfStreamDefects> UnpackEnd(ParcelReader& reader) {
  auto end = reader.Take<Result<CtfStreamDefects>>();
  if (!reader.is_valid() || (end && !reader.is_at_end())) return Garbled();
  return end;
}

}  // namespace syncline::ctf_frames
