// Messages of protobuf in a file, each behind its length in four bytes, in big-endian order.
//
// Errors: those of the file; kMalformed where a length is beyond kMaxMessage. Memory: the largest
// message. Tested by: otlp_protobuf_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "syncline/result.h"

#include "base/file.h"

namespace syncline {

class ProtobufMessages {
 public:
  static constexpr size_t kPrefix = 4;  // bytes of a length
  static constexpr size_t kMaxMessage = size_t{1} << 30;
  // So many empty messages in a row are none: 64 KiB of zeros, as sparse files have them.
  static constexpr size_t kMostEmpty = size_t{1} << 14;

  // Text must outlive this object.
  ProtobufMessages(std::variant<InputFile, std::string_view> source, std::string name)
      : source_(std::move(source)), name_(std::move(name)) {}

  // The length that at least kPrefix bytes begin with.
  static uint32_t LengthIn(std::string_view prefix);
  // With its length; shorter where the file ends within it. What follows where it was cut off comes
  // in pieces. None at the end and at an error.
  std::optional<std::string_view> Next();
  // Where it was cut off.
  std::optional<uint64_t> cut_off() const { return cut_off_; }
  uint64_t offset() const { return offset_; }  // of the latest one
  const std::string& name() const { return name_; }
  const std::optional<Error>& error() const { return error_; }

 private:
  bool ReadBehind(size_t from);

  std::variant<InputFile, std::string_view> source_;
  std::string name_;
  std::string bytes_;
  uint64_t offset_ = 0;
  size_t empty_ = 0;  // of the latest, in a row
  std::optional<uint64_t> cut_off_;
  std::optional<Error> error_;
};

}  // namespace syncline
