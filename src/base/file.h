// Files: sequential input, output that appears atomically, and temporary storage.
//
// Errors: Result with the file's name; EINTR is retried. Nothing here buffers: callers read and
// write in blocks of at least kFileBlock bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "syncline/result.h"

namespace syncline {

inline constexpr size_t kFileBlock = size_t{1} << 18;

// An owned file descriptor.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor();
  int get() const { return fd_; }
  int Release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

// A file read from front to back; "-" is standard input.
class InputFile {
 public:
  static Result<InputFile> Open(const std::string& path);
  bool is_regular() const { return is_regular_; }
  // Fills `buffer` unless the file ends first; returns the number of bytes read (0 at the end).
  Result<size_t> Read(std::span<std::byte> buffer);
  // Waits for the first byte only: returns what is there, 0 at the end.
  Result<size_t> ReadSome(std::span<std::byte> buffer);
  // Whether ReadSome() would return at once, after waiting for that. Negative: without limit.
  Result<bool> WaitForBytes(int64_t at_most_ms) const;
  const std::string& path() const { return path_; }
  uint64_t size() const { return size_; }  // bytes; 0 where unknown (pipes)

 private:
  InputFile(std::string path, FileDescriptor fd, bool is_regular, uint64_t size)
      : path_(std::move(path)), fd_(std::move(fd)), is_regular_(is_regular), size_(size) {}
  std::string path_;
  FileDescriptor fd_;
  bool is_regular_ = false;
  uint64_t size_ = 0;
};

enum class IfExists { kFail, kReplace };

// A file that comes into being only by Commit(): until then it has a temporary name beside its
// place, and disappears with this object. "-" is standard output, written at once.
class OutputFile {
 public:
  static Result<OutputFile> Create(const std::string& path, IfExists if_exists);
  OutputFile(OutputFile&&) noexcept = default;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();
  Result<void> Write(std::span<const std::byte> bytes);
  Result<void> Write(std::string_view text);
  // Ends the writing; the file still has its temporary name. Errors that the system reports late.
  Result<void> Close();
  Result<void> Commit();
  const std::string& path() const { return path_; }

 private:
  OutputFile(std::string path, std::string temporary, FileDescriptor fd, IfExists if_exists)
      : path_(std::move(path)),
        temporary_(std::move(temporary)),
        fd_(std::move(fd)),
        if_exists_(if_exists) {}
  std::string path_;
  std::string temporary_;  // empty once committed or moved from
  FileDescriptor fd_;
  IfExists if_exists_ = IfExists::kFail;
};

// Anonymous disk space in the directory of TMPDIR (default /tmp): append, then read anywhere.
class TempFile {
 public:
  static Result<TempFile> Create();
  Result<void> Append(std::span<const std::byte> bytes);
  Result<void> ReadAt(uint64_t offset,
                      std::span<std::byte> buffer) const;  // all of it, or an error
  uint64_t size() const { return size_; }

 private:
  explicit TempFile(FileDescriptor fd) : fd_(std::move(fd)) {}
  FileDescriptor fd_;
  uint64_t size_ = 0;
};

// The whole of a small file.
Result<std::string> ReadWholeFile(const std::string& path);

}  // namespace syncline
