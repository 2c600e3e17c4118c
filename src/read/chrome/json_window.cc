#include "read/chrome/json_window.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"

namespace syncline {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// How far a value has come, byte by byte.
class ValueEnd {
 public:
  // Whether the value ends with this byte, or, of a number or word, before it.
  enum class Found : uint8_t { kNothing, kHere, kBefore };
  Found Take(char c) {
    if (is_in_string_) return TakeInString(c);
    switch (c) {
      case '"': is_in_string_ = true; return Found::kNothing;
      case '{':
      case '[': ++depth_; return Found::kNothing;
      case '}':
      case ']':
        if (depth_ == 0) return Found::kBefore;
        return --depth_ == 0 ? Found::kHere : Found::kNothing;
      default:
        return depth_ == 0 && (c == ',' || c == ':' || IsSpace(c)) ? Found::kBefore
                                                                   : Found::kNothing;
    }
  }
  bool is_in_word() const { return depth_ == 0 && !is_in_string_; }

 private:
  Found TakeInString(char c) {
    if (is_escaped_) {
      is_escaped_ = false;
    } else if (c == '\\') {
      is_escaped_ = true;
    } else if (c == '"') {
      is_in_string_ = false;
      return depth_ == 0 ? Found::kHere : Found::kNothing;
    }
    return Found::kNothing;
  }

  uint64_t depth_ = 0;
  bool is_in_string_ = false;
  bool is_escaped_ = false;
};

}  // namespace

JsonWindow::JsonWindow(InputFile file, size_t bytes)
    : JsonWindow(std::make_shared<InputFile>(std::move(file)), bytes) {}

JsonWindow::JsonWindow(const std::shared_ptr<InputFile>& file, size_t bytes)
    : JsonWindow([file](std::span<std::byte> buffer) { return file->Read(buffer); }, file->path(),
                 bytes) {}

JsonWindow::JsonWindow(std::string_view text, size_t bytes)
    : JsonWindow(
          [text](std::span<std::byte> buffer) mutable -> Result<size_t> {
            const size_t taken = std::min(text.size(), buffer.size());
            if (taken > 0) std::memcpy(buffer.data(), text.data(), taken);
            text.remove_prefix(taken);
            return taken;
          },
          "memory", bytes) {}

JsonWindow::JsonWindow(Read read, std::string path, size_t bytes)
    : read_(std::move(read)),
      path_(std::move(path)),
      capacity_(bytes),
      buffer_(std::make_unique<char[]>(1 + bytes + kPadding)) {}

Result<void> JsonWindow::HandOn() {
  if (on_bytes_ && begin_ > handed_on_) {
    SYNCLINE_TRY(on_bytes_(buffer_offset_ + handed_on_,
                           std::string_view(buffer_.get() + handed_on_, begin_ - handed_on_)));
  }
  handed_on_ = begin_;
  return {};
}

Result<void> JsonWindow::Finish() {
  begin_ = end_;
  return HandOn();
}

Result<void> JsonWindow::Grow() {
  if (capacity_ >= kMostBytes) {
    return Fail(ErrorCode::kUnsupported, fmt::format("a value of more than {} bytes", kMostBytes),
                path_, ByteOffset{offset()});
  }
  const size_t capacity = capacity_ * 2;
  auto buffer = std::make_unique<char[]>(1 + capacity + kPadding);
  std::memcpy(buffer.get(), buffer_.get(), end_);
  buffer_ = std::move(buffer);
  capacity_ = capacity;
  return {};
}

Result<bool> JsonWindow::Fill() {
  if (is_at_end_) return false;
  SYNCLINE_TRY(HandOn());
  if (begin_ > 1) {
    std::memmove(buffer_.get() + 1, data(), size());
    buffer_offset_ += begin_ - 1;
    end_ -= begin_ - 1;
    begin_ = handed_on_ = 1;
  }
  if (end_ - 1 == capacity_) SYNCLINE_TRY(Grow());
  const std::span<char> room(buffer_.get() + end_, capacity_ + 1 - end_);
  SYNCLINE_ASSIGN(const size_t added, read_(std::as_writable_bytes(room)));
  end_ += added;
  is_at_end_ = added < room.size();
  return added > 0;
}

Result<std::optional<char>> JsonWindow::Peek() {
  for (;;) {
    while (begin_ < end_ && IsSpace(buffer_[begin_])) ++begin_;
    if (begin_ < end_) return std::optional(buffer_[begin_]);
    SYNCLINE_ASSIGN(const bool is_more, Fill());
    if (!is_more) return std::optional<char>();
  }
}

Result<bool> JsonWindow::SkipValue(std::string* text) {
  ValueEnd value;
  for (;;) {
    size_t taken = 0;
    auto found = ValueEnd::Found::kNothing;
    while (taken < size() && found == ValueEnd::Found::kNothing)
      found = value.Take(data()[taken++]);
    if (found == ValueEnd::Found::kBefore) --taken;
    if (text != nullptr && text->size() < kMostKept) text->append(data(), taken);
    Consume(taken);
    if (found != ValueEnd::Found::kNothing) return true;
    SYNCLINE_ASSIGN(const bool is_more, Fill());
    if (!is_more) return value.is_in_word();
  }
}

Result<std::optional<size_t>> JsonWindow::HoldValue() {
  ValueEnd value;
  for (size_t length = 0;;) {
    while (length < size()) {
      if (value.Take(data()[length++]) == ValueEnd::Found::kHere) return std::optional(length);
    }
    SYNCLINE_ASSIGN(const bool is_more, Fill());
    if (!is_more) return std::optional<size_t>();
  }
}

}  // namespace syncline
