#include "read/spans/protobuf_messages.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

namespace syncline {

uint32_t ProtobufMessages::LengthIn(std::string_view prefix) {
  uint32_t length = 0;
  for (size_t i = 0; i < kPrefix; ++i) length = length << 8 | static_cast<unsigned char>(prefix[i]);
  return length;
}

std::optional<std::string_view> ProtobufMessages::Next() {
  offset_ += bytes_.size();
  bytes_.resize(cut_off_ ? kFileBlock : kPrefix);
  if (!ReadBehind(0) || bytes_.empty()) return std::nullopt;
  if (!cut_off_ && bytes_.size() < kPrefix) cut_off_ = offset_;
  if (cut_off_) return bytes_;
  const uint32_t length = LengthIn(bytes_);
  empty_ = length == 0 ? empty_ + 1 : 0;
  if (empty_ == kMostEmpty) cut_off_ = offset_ + kPrefix - kMostEmpty * kPrefix;
  if (length > kMaxMessage) {
    error_ = {ErrorCode::kMalformed, fmt::format("a message is longer than {} bytes", kMaxMessage),
              name_, ByteOffset{offset_}};
    return std::nullopt;
  }
  // Grows step by step, so that a length that lies costs no more than the bytes there are.
  while (bytes_.size() < kPrefix + length && !cut_off_) {
    const size_t have = bytes_.size();
    const size_t wanted = std::min(kPrefix + length, have + std::max(have, kFileBlock));
    bytes_.resize(wanted);
    if (!ReadBehind(have)) return std::nullopt;
    if (bytes_.size() < wanted) cut_off_ = offset_;
  }
  return bytes_;
}

// Fills bytes_ from here on, and shortens it where the file ends.
bool ProtobufMessages::ReadBehind(size_t from) {
  const auto to = std::span(bytes_).subspan(from);
  size_t n = 0;
  if (auto* file = std::get_if<InputFile>(&source_)) {
    auto read = file->Read(std::as_writable_bytes(to));
    if (!read) {
      error_ = read.error();
      return false;
    }
    n = *read;
  } else {
    auto& text = std::get<std::string_view>(source_);
    n = text.copy(to.data(), to.size());
    text.remove_prefix(n);
  }
  bytes_.resize(from + n);
  return true;
}

}  // namespace syncline
