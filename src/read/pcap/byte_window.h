// A window that moves over a file from front to back, keeping only the bytes in use in memory.
//
// Errors: a failed read ends the input and stays in error(); the end of compressed data that was
// cut off is none. Ownership: data() is valid, and may be written to, until the next Have(). Cost:
// each byte is read once and moved at most once per block; memory is one block, or twice the
// largest size ever asked for. Tested by: byte_window_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "syncline/result.h"

#include "base/file.h"

namespace syncline {

class ByteWindow {
 public:
  static Result<ByteWindow> Open(const std::string& path, size_t block = kFileBlock);
  // Over `bytes`, which must outlive the window; `name` stands for the file's in errors.
  static ByteWindow OverBytes(std::span<const std::byte> bytes, std::string name,
                              size_t block = kFileBlock);

  // Whether `size` bytes can be had at data(), reading on as needed. If not, the input ended or
  // failed, and everything that is left is available.
  bool Have(size_t size) { return available() >= size || Fill(size); }
  std::byte* data() { return buffer_.data() + begin_; }
  size_t available() const { return end_ - begin_; }
  void Skip(size_t size) { begin_ += size; }  // at most available()

  uint64_t offset() const { return buffer_offset_ + begin_; }  // of data() in the input
  uint64_t bytes_read() const { return buffer_offset_ + end_; }
  const std::string& name() const { return name_; }
  const std::optional<Error>& error() const { return error_; }
  // Whether the input ended early, as compressed data shows.
  bool is_cut_off() const {
    const auto* file = std::get_if<InputFile>(&source_);
    return file != nullptr && file->is_cut_off();
  }

 private:
  using Source = std::variant<InputFile, std::span<const std::byte>>;
  ByteWindow(Source source, std::string name, size_t block)
      : source_(std::move(source)), name_(std::move(name)), block_(block) {}
  bool Fill(size_t size);
  size_t Read(std::span<std::byte> into);
  size_t ReadFile(InputFile& file, std::span<std::byte> into);

  Source source_;
  std::string name_;
  size_t block_ = kFileBlock;
  std::vector<std::byte> buffer_;
  uint64_t buffer_offset_ = 0;  // of buffer_[0] in the input
  size_t begin_ = 0;
  size_t end_ = 0;
  bool ended_ = false;
  std::optional<Error> error_;
};

}  // namespace syncline
