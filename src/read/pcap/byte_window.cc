#include "read/pcap/byte_window.h"

#include <algorithm>
#include <cstring>

#include "base/try.h"

namespace syncline {

Result<ByteWindow> ByteWindow::Open(const std::string& path, size_t block) {
  SYNCLINE_ASSIGN(auto file, InputFile::Open(path));
  std::string name = file.path();
  return ByteWindow(std::move(file), std::move(name), block);
}

ByteWindow ByteWindow::OverBytes(std::span<const std::byte> bytes, std::string name, size_t block) {
  // One byte more than there are, so that the first read finds the end.
  return ByteWindow(bytes, std::move(name), std::min(block, bytes.size() + 1));
}

bool ByteWindow::Fill(size_t size) {
  const size_t kept = available();
  if (kept > 0 && begin_ > 0) std::memmove(buffer_.data(), data(), kept);
  buffer_offset_ += begin_;
  begin_ = 0;
  end_ = kept;
  while (end_ < size && !ended_) {
    // Grows step by step, so that a length that lies costs no more than the bytes there are.
    if (end_ == buffer_.size()) buffer_.resize(std::max(block_, 2 * buffer_.size()));
    const size_t n = Read(std::span(buffer_).subspan(end_));
    if (n < buffer_.size() - end_) ended_ = true;
    end_ += n;
  }
  return end_ >= size;
}

size_t ByteWindow::Read(std::span<std::byte> into) {
  if (auto* file = std::get_if<InputFile>(&source_)) return ReadFile(*file, into);
  auto& rest = std::get<std::span<const std::byte>>(source_);
  const size_t n = std::min(rest.size(), into.size());
  if (n > 0) std::memcpy(into.data(), rest.data(), n);
  rest = rest.subspan(n);
  return n;
}

size_t ByteWindow::ReadFile(InputFile& file, std::span<std::byte> into) {
  size_t done = 0;
  while (done < into.size()) {
    const Result<size_t> n = file.ReadSome(into.subspan(done));
    if (!n && !file.is_cut_off()) error_ = n.error();
    if (!n || *n == 0) break;
    done += *n;
  }
  return done;
}

}  // namespace syncline
