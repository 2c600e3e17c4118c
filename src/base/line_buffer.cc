#include "base/line_buffer.h"

#include <cstring>
#include <utility>

#include "base/check.h"

namespace syncline {
namespace {

// One more byte for the '\n' that is put behind a file without one.
std::unique_ptr<char[]> MakeBuffer(size_t longest_line, size_t block) {
  SYNCLINE_CHECK(block > 0 && block <= LineBuffer::kMaxLine);
  return std::make_unique_for_overwrite<char[]>(longest_line + block + 1 + LineBuffer::kPadding);
}

}  // namespace

LineBuffer::LineBuffer(InputFile file, size_t block)
    : source_(std::move(file)), block_(block), buffer_(MakeBuffer(kMaxLine, block)) {
  path_ = std::get<InputFile>(source_).path();
  cursor_ = complete_ = data_end_ = buffer_.get();
}

LineBuffer::LineBuffer(std::string_view text, size_t block)
    : source_(text),
      block_(std::min(block, text.size() + 1)),
      buffer_(MakeBuffer(std::min(kMaxLine, text.size()), block_)) {
  cursor_ = complete_ = data_end_ = buffer_.get();
}

LineBuffer::LineBuffer(ReadSomeFunction read, std::string name, size_t block)
    : source_(std::move(read)),
      path_(std::move(name)),
      block_(block),
      buffer_(MakeBuffer(kMaxLine, block)) {
  cursor_ = complete_ = data_end_ = buffer_.get();
}

Result<size_t> LineBuffer::Read(std::span<std::byte> to) {
  if (auto* read = std::get_if<ReadSomeFunction>(&source_)) return (*read)(to);
  if (auto* file = std::get_if<InputFile>(&source_)) return file->Read(to);
  auto& text = std::get<std::string_view>(source_);
  const size_t n = std::min(to.size(), text.size());
  if (n > 0) std::memcpy(to.data(), text.data(), n);
  text.remove_prefix(n);
  return n;
}

bool LineBuffer::Stop(Error error) {
  ended_ = true;
  error_ = std::move(error);
  return false;
}

// What is left in the buffer is the beginning of one line. A line above kMaxLine spans more than a
// block, so only that first line can be one.
bool LineBuffer::Fill() {
  if (ended_) return false;
  char* const front = buffer_.get();
  const size_t rest = static_cast<size_t>(data_end_ - cursor_);
  if (rest > 0) std::memmove(front, cursor_, rest);
  base_ += static_cast<uint64_t>(cursor_ - front);
  cursor_ = complete_ = front;
  for (char* fresh = front + rest;;) {
    const auto n = Read(std::as_writable_bytes(std::span(fresh, block_)));
    data_end_ = fresh;
    if (!n) return Stop(n.error());
    data_end_ = fresh + *n;
    std::memset(fresh + *n, 0, 1 + kPadding);
    const auto* newline = static_cast<const char*>(std::memchr(fresh, '\n', *n));
    const char* line_end = newline != nullptr ? newline + 1 : data_end_;
    const bool is_long = static_cast<size_t>(line_end - front) > kMaxLine;
    if (is_long && long_lines_ == LongLines::kError) {
      return Stop({ErrorCode::kMalformed,
                   "the line is longer than " + std::to_string(kMaxLine) + " bytes", path_});
    }
    if (is_long) piece_end_ = complete_ = fresh;
    if (IsEnd(*n)) {
      ended_ = true;
      if (data_end_ == front) return false;
      front[data_end_ - front] = '\n';
      complete_ = data_end_[-1] == '\n' ? data_end_ : data_end_ + 1;
      return true;
    }
    if (newline != nullptr) complete_ = fresh + std::string_view(fresh, *n).rfind('\n') + 1;
    if (newline != nullptr || is_long) return true;
    fresh += *n;
  }
}

}  // namespace syncline
