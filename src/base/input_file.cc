#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compression.h"
#include "base/file.h"
#include "base/try.h"

// Apart from file.cc, so that what only writes does without the libraries for compressed data.
namespace syncline {
namespace {

tl::unexpected<Error> ReadingError(const char* what, const std::string& path) {
  return Fail(ErrorCode::kUnreadable, std::string(what) + ": " + std::strerror(errno), path);
}

// Some bytes at a place of a regular file.
size_t ReadAt(int fd, uint64_t offset, std::span<std::byte> buffer) {
  const ssize_t n = ::pread(fd, buffer.data(), buffer.size(), static_cast<off_t>(offset));
  return n > 0 ? static_cast<size_t>(n) : 0;
}

}  // namespace

Result<InputFile> InputFile::OpenPacked(const std::string& path) {
  if (path == "-") return InputFile("standard input", FileDescriptor(STDIN_FILENO), false, 0);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return ReadingError("cannot open", path);
  FileDescriptor owned(fd);
  struct stat status = {};
  if (::fstat(fd, &status) != 0) return ReadingError("cannot open", path);
  if (S_ISDIR(status.st_mode)) return Fail(ErrorCode::kUnreadable, "is a folder", path);
  const bool is_regular = S_ISREG(status.st_mode);
  const uint64_t size = is_regular ? static_cast<uint64_t>(status.st_size) : 0;
  return InputFile(path, std::move(owned), is_regular, size);
}

Result<InputFile> InputFile::Open(const std::string& path) {
  SYNCLINE_ASSIGN(InputFile file, OpenPacked(path));
  if (file.is_regular_) {
    SYNCLINE_TRY(file.LookAtFile());
  } else {
    file.is_looked_at_ = false;  // when the first bytes are there
  }
  return file;
}

Result<void> InputFile::LookAtFile() {
  std::array<std::byte, 18> first{};  // what tells the size of a zstd frame
  const size_t n = ReadAt(fd_.get(), 0, first);
  compression_ = CompressionOf(std::span(first).first(n));
  if (compression_ == Compression::kNone) return {};
  SYNCLINE_ASSIGN(unpacking_, MakeUnpacking(compression_, path_));
  std::array<std::byte, 4> last{};
  const size_t m = size_ < last.size() ? 0 : ReadAt(fd_.get(), size_ - last.size(), last);
  size_ =
      LikelyUnpackedSize(compression_, std::span(first).first(n), std::span(last).first(m), size_);
  return {};
}

Result<void> InputFile::LookAtStream() {
  is_looked_at_ = true;
  ahead_.reserve(kCompressionMagic);
  do {
    std::array<std::byte, kCompressionMagic> more{};
    SYNCLINE_ASSIGN(const size_t n,
                    ReadPacked(std::span(more).first(kCompressionMagic - ahead_.size())));
    if (n == 0) break;
    ahead_.insert(ahead_.end(), more.begin(), more.begin() + static_cast<ptrdiff_t>(n));
  } while (MayBeCompressed(ahead_));
  compression_ = CompressionOf(ahead_);
  if (compression_ == Compression::kNone) return {};
  SYNCLINE_ASSIGN(unpacking_, MakeUnpacking(compression_, path_));
  return {};
}

Result<size_t> InputFile::Read(std::span<std::byte> buffer) {
  size_t done = 0;
  while (done < buffer.size()) {
    SYNCLINE_ASSIGN(const size_t n, ReadSome(buffer.subspan(done)));
    if (n == 0) break;
    done += n;
  }
  return done;
}

Result<size_t> InputFile::ReadSome(std::span<std::byte> buffer) {
  if (!is_looked_at_) SYNCLINE_TRY(LookAtStream());
  const auto read = [this](std::span<std::byte> to) -> Result<size_t> {
    if (ahead_.empty()) return ReadPacked(to);
    const size_t n = std::min(to.size(), ahead_.size());
    std::copy_n(ahead_.begin(), n, to.begin());
    ahead_.erase(ahead_.begin(), ahead_.begin() + static_cast<ptrdiff_t>(n));
    return n;
  };
  return unpacking_ == nullptr ? read(buffer) : unpacking_->ReadSome(buffer, read);
}

Result<size_t> InputFile::ReadPacked(std::span<std::byte> buffer) {
  for (;;) {
    const ssize_t n = ::read(fd_.get(), buffer.data(), buffer.size());
    if (n >= 0) return static_cast<size_t>(n);
    if (errno != EINTR) return ReadingError("cannot read", path_);
  }
}

Result<bool> InputFile::WaitForBytes(int64_t at_most_ms) const {
  const bool has_some = !ahead_.empty() || (unpacking_ != nullptr && unpacking_->HasOutput());
  if (has_some) return true;
  struct pollfd poll = {fd_.get(), POLLIN, 0};
  const int ready = ::poll(&poll, 1, static_cast<int>(std::min<int64_t>(at_most_ms, INT_MAX)));
  if (ready < 0 && errno != EINTR) return ReadingError("cannot wait for", path_);
  return ready > 0;
}

Result<std::string> ReadWholeFile(const std::string& path) {
  SYNCLINE_ASSIGN(auto file, InputFile::Open(path));
  std::string content;
  for (;;) {
    const size_t old = content.size();
    content.resize(old + kFileBlock);
    SYNCLINE_ASSIGN(auto n,
                    file.Read(std::as_writable_bytes(std::span(content.data() + old, kFileBlock))));
    content.resize(old + n);
    if (n < kFileBlock) return content;
    if (content.size() > kWholeFileLimit) {
      return Fail(ErrorCode::kMalformed,
                  "is larger than " + std::to_string(kWholeFileLimit >> 20) + " MiB, and not read",
                  path);
    }
  }
}

}  // namespace syncline
