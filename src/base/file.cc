#include "base/file.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/temporaries.h"
#include "base/try.h"

namespace syncline {
namespace {

tl::unexpected<Error> SystemError(const char* what, const std::string& path) {
  return Fail(ErrorCode::kUnreadable, std::string(what) + ": " + std::strerror(errno), path);
}

Result<void> WriteAll(int fd, std::span<const std::byte> bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return SystemError("cannot write", path);
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
  return {};
}

}  // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    if (fd_ > 2) ::close(fd_);
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

FileDescriptor::~FileDescriptor() {
  if (fd_ > 2) ::close(fd_);
}

Result<OutputFile> OutputFile::Create(const std::string& path, IfExists if_exists) {
  if (path == "-")
    return OutputFile("standard output", "", FileDescriptor(STDOUT_FILENO), if_exists);
  struct stat status = {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    // A pipe or device takes what is written; it must not be replaced by a file.
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) return SystemError("cannot open", path);
    return OutputFile(path, "", FileDescriptor(fd), if_exists);
  }
  if (if_exists == IfExists::kFail && ::access(path.c_str(), F_OK) == 0) {
    return Fail(ErrorCode::kUsage, "already exists (--force replaces it)", path);
  }
  for (unsigned attempt = 0; attempt < 1000; ++attempt) {
    std::string temporary =
        path + ".partial-" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
    const HeldTemporaries held = HoldTemporaries();
    const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) {
      NoteTemporary(temporary);
      return OutputFile(path, std::move(temporary), FileDescriptor(fd), if_exists);
    }
    if (errno != EEXIST) break;
  }
  return SystemError("cannot create", path);
}

OutputFile::~OutputFile() {
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  ForgetTemporary(temporary_);
}

Result<void> OutputFile::Write(std::span<const std::byte> bytes) {
  if (packing_ == nullptr) return WriteAll(fd_.get(), bytes, path_);
  return packing_->Write(
      bytes, [&](std::span<const std::byte> packed) { return WriteAll(fd_.get(), packed, path_); });
}

Result<void> OutputFile::Write(std::string_view text) {
  return Write(std::as_bytes(std::span(text.data(), text.size())));
}

Result<void> OutputFile::Close() {
  if (packing_ != nullptr) {
    const std::unique_ptr<Packing> packing = std::move(packing_);
    SYNCLINE_TRY(packing->End(
        [&](std::span<const std::byte> packed) { return WriteAll(fd_.get(), packed, path_); }));
  }
  if (fd_.get() <= STDERR_FILENO) return {};
  if (::close(fd_.Release()) != 0) return SystemError("cannot write", path_);
  return {};
}

Result<std::optional<Replacement>> OutputFile::Finish() {
  SYNCLINE_TRY(Close());
  if (temporary_.empty()) return std::nullopt;
  return Replacement{temporary_, path_, if_exists_};
}

Result<void> OutputFile::Commit() {
  const bool replaces = !temporary_.empty() && ::access(path_.c_str(), F_OK) == 0;
  if (replaces && packing_ == nullptr) ::fsync(fd_.get());
  SYNCLINE_TRY(Close());
  if (temporary_.empty()) return {};
  const HeldTemporaries held = HoldTemporaries();
  if (if_exists_ == IfExists::kFail) {
    // link() refuses an existing name, so a file made meanwhile is safe.
    if (::link(temporary_.c_str(), path_.c_str()) != 0) return SystemError("cannot create", path_);
    ::unlink(temporary_.c_str());
  } else if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
    return SystemError("cannot create", path_);
  }
  ForgetTemporary(temporary_);
  temporary_.clear();
  return {};
}

Result<TempFile> TempFile::Create() {
  const char* folder = std::getenv("TMPDIR");
  std::string path =
      std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") + "/syncline-XXXXXX";
  const int fd = ::mkostemp(path.data(), O_CLOEXEC);
  if (fd < 0) return SystemError("cannot create temporary storage", path);
  ::unlink(path.c_str());
  return TempFile(FileDescriptor(fd));
}

Result<void> TempFile::Append(std::span<const std::byte> bytes) {
  auto written = WriteAll(fd_.get(), bytes, "temporary storage");
  if (written) size_ += bytes.size();
  return written;
}

Result<void> TempFile::ReadAt(uint64_t offset, std::span<std::byte> buffer) const {
  while (!buffer.empty()) {
    const ssize_t n = ::pread(fd_.get(), buffer.data(), buffer.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return SystemError("cannot read", "temporary storage");
    if (n == 0) return Fail(ErrorCode::kUnreadable, "ends too early", "temporary storage");
    buffer = buffer.subspan(static_cast<size_t>(n));
    offset += static_cast<uint64_t>(n);
  }
  return {};
}

}  // namespace syncline
