// Files: sequential input, output that appears atomically, and temporary storage.
//
// Errors: Result with the file's name; EINTR is retried. Nothing here buffers: callers read and
// write in blocks of at least kFileBlock bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

enum class Compression : uint8_t { kNone, kGzip, kZstd };

// Turns the bytes of a compressed file into what was compressed (compression.h).
class Unpacking {
 public:
  // Reads some bytes of the file, 0 at its end.
  using ReadPacked = std::function<Result<size_t>(std::span<std::byte>)>;
  virtual ~Unpacking() = default;
  // At least one byte, 0 at the end of the content.
  virtual Result<size_t> ReadSome(std::span<std::byte> to, const ReadPacked& read) = 0;
  // Whether there is something to unpack without reading.
  virtual bool HasOutput() const = 0;
  // Whether ReadSome() gave all that there is of a file that was cut off.
  virtual bool is_cut_off() const = 0;
};

// The other way.
class Packing {
 public:
  using WritePacked = std::function<Result<void>(std::span<const std::byte>)>;
  virtual ~Packing() = default;
  virtual Result<void> Write(std::span<const std::byte> bytes, const WritePacked& write) = 0;
  virtual Result<void> End(const WritePacked& write) = 0;
};

// A file read from front to back; "-" is standard input. What gzip or zstd compressed is read as
// what it was before, and damage in it is an error that names the byte of the file.
class InputFile {
 public:
  static Result<InputFile> Open(const std::string& path);
  // Its own bytes, compressed or not.
  static Result<InputFile> OpenPacked(const std::string& path);
  bool is_regular() const { return is_regular_; }
  // Fills `buffer` unless the file ends first; returns the number of bytes read (0 at the end).
  Result<size_t> Read(std::span<std::byte> buffer);
  // Waits for the first byte only: returns what is there, 0 at the end.
  Result<size_t> ReadSome(std::span<std::byte> buffer);
  // Whether ReadSome() would return at once, after waiting for that. Negative: without limit.
  Result<bool> WaitForBytes(int64_t at_most_ms) const;
  const std::string& path() const { return path_; }
  // Bytes that can be read; 0 where unknown (pipes), a guess where compressed.
  uint64_t size() const { return size_; }
  Compression compression() const { return compression_; }
  // Whether the error of the last read is that compressed data ends too early. Read() drops what
  // came before that, ReadSome() has given all of it.
  bool is_cut_off() const { return unpacking_ != nullptr && unpacking_->is_cut_off(); }

 private:
  InputFile(std::string path, FileDescriptor fd, bool is_regular, uint64_t size)
      : path_(std::move(path)), fd_(std::move(fd)), is_regular_(is_regular), size_(size) {}
  Result<void> LookAtFile();
  Result<void> LookAtStream();
  Result<size_t> ReadPacked(std::span<std::byte> buffer);
  std::string path_;
  FileDescriptor fd_;
  bool is_regular_ = false;
  uint64_t size_ = 0;
  bool is_looked_at_ = true;  // for compression
  Compression compression_ = Compression::kNone;
  std::unique_ptr<Unpacking> unpacking_;
  std::vector<std::byte> ahead_;  // of a stream, read to look at it
};

enum class IfExists { kFail, kReplace };

// A name that changes in ReplaceTogether() (replace_together.h).
struct Replacement {
  // What is complete, in the folder of `place`, with ".partial-" in its name or that of a folder
  // around it; of what is removed, where it goes.
  std::string temporary;
  std::string place;
  IfExists if_exists = IfExists::kFail;
  bool is_removal = false;
};

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
  // What is written from now on is compressed on its way.
  void WriteThrough(std::unique_ptr<Packing> packing) { packing_ = std::move(packing); }
  // Ends the writing; the file still has its temporary name. Errors that the system reports late.
  Result<void> Close();
  Result<void> Commit();
  // Closed, to be committed with others; none for what is written at once.
  Result<std::optional<Replacement>> Finish();
  const std::string& path() const { return path_; }

 private:
  OutputFile(std::string path, std::string temporary, FileDescriptor fd, IfExists if_exists)
      : path_(std::move(path)),
        temporary_(std::move(temporary)),
        fd_(std::move(fd)),
        if_exists_(if_exists) {}
  std::string path_;
  std::string temporary_;  // empty where there is none, or moved from
  FileDescriptor fd_;
  IfExists if_exists_ = IfExists::kFail;
  std::unique_ptr<Packing> packing_;
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

// The whole of a small file, unpacked: definitions, rules, options. At most this many bytes.
inline constexpr size_t kWholeFileLimit = size_t{256} << 20;
Result<std::string> ReadWholeFile(const std::string& path);

}  // namespace syncline
