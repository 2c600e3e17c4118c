// Lines of a file, a stream or of memory, through one buffer of fixed size.
//
// Errors: a failed read, and a line of more than kMaxLine bytes, unless such are handed out in
// pieces; HasLine() is then false and error() says why. Ownership: lines are views into the buffer,
// valid until the next HasLine(). Cost: kMaxLine + block bytes of memory; each byte is copied once,
// that of a line across two blocks twice. Tested by: line_buffer_test.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "syncline/result.h"

#include "base/file.h"

namespace syncline {

// Gives at least one byte and no more than fit, except at the end.
using ReadSomeFunction = std::function<Result<size_t>(std::span<std::byte>)>;

enum class LongLines : uint8_t { kError, kInPieces };

class LineBuffer {
 public:
  static constexpr size_t kMaxLine = size_t{1} << 20;  // bytes, the line's end included

  // Requires 0 < block ≤ kMaxLine. `text` must outlive the buffer.
  explicit LineBuffer(InputFile file, size_t block = kFileBlock);
  explicit LineBuffer(std::string_view text, size_t block = kFileBlock);
  // Hands out each whole line as soon as it is there.
  LineBuffer(ReadSomeFunction read, std::string name, size_t block = kFileBlock);

  // Whether a line stands at line().
  bool HasLine() { return cursor_ != complete_ || Fill(); }
  // The line's first byte. A '\n' ends the line even where the file ends without one, and at least
  // kPadding readable bytes follow it.
  const char* line() const { return cursor_; }
  static constexpr size_t kPadding = 64;
  // Goes behind `newline`, the '\n' that ends the line at line(), and returns the line as it stands
  // in the input, its end included.
  std::string_view Consume(const char* newline) {
    const char* begin = cursor_;
    cursor_ = newline + 1;
    return {begin, std::min(cursor_, data_end_)};
  }

  // The same where the line's end is still to be found.
  std::string_view ConsumeLine() {
    return Consume(static_cast<const char*>(
        std::memchr(cursor_, '\n', static_cast<size_t>(complete_ - cursor_))));
  }
  // With kInPieces: what stands at line() is part of a line above kMaxLine, without its end, and is
  // to be taken by ConsumePiece(). What follows it, up to a line's end, belongs to the same line.
  void TakeLongLines(LongLines how) { long_lines_ = how; }
  bool IsAtPiece() const { return piece_end_ != nullptr; }
  std::string_view ConsumePiece() {
    const char* begin = cursor_;
    cursor_ = std::exchange(piece_end_, nullptr);
    return {begin, cursor_};
  }

  // Bytes of the input before line().
  uint64_t offset() const { return base_ + (std::min(cursor_, data_end_) - buffer_.get()); }
  const std::optional<Error>& error() const { return error_; }
  const std::string& path() const { return path_; }

 private:
  bool Fill();
  bool Stop(Error error);
  Result<size_t> Read(std::span<std::byte> to);

  bool IsEnd(size_t bytes_read) const {
    return std::holds_alternative<ReadSomeFunction>(source_) ? bytes_read == 0
                                                             : bytes_read < block_;
  }

  std::variant<InputFile, std::string_view, ReadSomeFunction> source_;
  std::string path_ = "memory";
  size_t block_ = 0;
  std::unique_ptr<char[]> buffer_;
  const char* cursor_ = nullptr;     // start of the next line
  const char* complete_ = nullptr;   // end of the last whole line in the buffer
  const char* data_end_ = nullptr;   // end of what was read
  const char* piece_end_ = nullptr;  // of a piece at cursor_
  uint64_t base_ = 0;                // offset in the input of the buffer's first byte
  bool ended_ = false;
  LongLines long_lines_ = LongLines::kError;
  std::optional<Error> error_;
};

}  // namespace syncline
