// A JSON file through a window that moves over it: tokens and whole values, one after the other.
//
// It knows where strings begin and end and how deep values nest, and leaves the rest to a parser of
// what it holds. Errors: those of the source, with the byte where they occurred; kUnsupported for a
// value beyond kMostBytes that has to be held as a whole. Ownership: views are valid until the next
// call that reads. Memory: the window, which grows to the longest value held. Cost: a byte is
// copied once, that of a value across two windows twice.
// Tested by: json_window_test.cc, chrome_reader_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "syncline/result.h"

#include "base/file.h"

namespace syncline {

class JsonWindow {
 public:
  static constexpr size_t kBytes = size_t{1} << 19;
  static constexpr size_t kMostBytes = size_t{1} << 28;
  static constexpr size_t kPadding = 128;  // readable bytes behind the window

  // Requires bytes > 0. `text` must outlive the window.
  explicit JsonWindow(InputFile file, size_t bytes = kBytes);
  explicit JsonWindow(std::string_view text, size_t bytes = kBytes);

  // Gets all bytes of the file, in pieces and in order, when they leave the window, and where the
  // first of them stands in the file; the last ones by Finish().
  using OnBytes = std::function<Result<void>(uint64_t offset, std::string_view bytes)>;
  void SetOnBytes(OnBytes on_bytes) { on_bytes_ = std::move(on_bytes); }
  Result<void> Finish();

  // The next character that is no white space, which is not consumed; none at the end of the file.
  Result<std::optional<char>> Peek();
  // Behind the value that begins here; what it is made of is appended to `text`, if not null, up to
  // kMostKept bytes. False where the file ends before it.
  Result<bool> SkipValue(std::string* text);
  static constexpr size_t kMostKept = size_t{1} << 24;
  // The length of the object or array that begins here, then held as a whole; none where the file
  // ends before it.
  Result<std::optional<size_t>> HoldValue();
  // Fills the window. False where the file ends.
  Result<bool> Fill();

  // What is held and not consumed. One byte before it and kPadding behind it may be written to, if
  // they are restored before anything else is asked of the window.
  char* data() { return buffer_.get() + begin_; }
  size_t size() const { return end_ - begin_; }
  void Consume(size_t bytes) { begin_ += bytes; }
  uint64_t offset() const { return buffer_offset_ + begin_; }

  const std::string& path() const { return path_; }
  uint64_t bytes_read() const { return buffer_offset_ + end_ - 1; }
  bool is_at_end() const { return is_at_end_; }  // all that remains is held

 private:
  using Read = std::function<Result<size_t>(std::span<std::byte>)>;
  JsonWindow(const std::shared_ptr<InputFile>& file, size_t bytes);
  JsonWindow(Read read, std::string path, size_t bytes);
  Result<void> HandOn();
  Result<void> Grow();

  Read read_;
  std::string path_;
  OnBytes on_bytes_;
  size_t capacity_;  // bytes of the file that fit
  std::unique_ptr<char[]> buffer_;
  // In the buffer, whose first byte belongs to no file.
  size_t handed_on_ = 1;
  size_t begin_ = 1;
  size_t end_ = 1;
  uint64_t buffer_offset_ = UINT64_MAX;  // of buffer_[0] in the file: −1 at first
  bool is_at_end_ = false;
};

}  // namespace syncline
