#include "cli/standard_input.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <span>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compression.h"
#include "base/file.h"
#include "base/try.h"
#include "trace/formats.h"

namespace syncline {
namespace {

constexpr size_t kLookedAt = 4096;

bool IsStandardInput(const std::string& input) { return input == "-" || input.ends_with("=-"); }

// What stays to be read: bytes of a file, or those that are copied from one pipe to another.
std::vector<std::byte> PeekStandardInput() {
  std::vector<std::byte> head(kLookedAt);
  struct stat status = {};
  if (::fstat(STDIN_FILENO, &status) != 0) return {};
  ssize_t n = 0;
  if (S_ISREG(status.st_mode)) {
    n = ::pread(STDIN_FILENO, head.data(), head.size(), ::lseek(STDIN_FILENO, 0, SEEK_CUR));
  } else if (S_ISFIFO(status.st_mode)) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
    const FileDescriptor from(ends[0]), to(ends[1]);
    do {
      n = ::tee(STDIN_FILENO, to.get(), head.size(), 0);
    } while (n < 0 && errno == EINTR);
    if (n > 0) n = ::read(from.get(), head.data(), static_cast<size_t>(n));
  }
  head.resize(static_cast<size_t>(std::max<ssize_t>(n, 0)));
  return head;
}

// Of streams that text may be, or nothing that is known.
bool IsReadAsItComes(std::span<const std::byte> head) {
  if (CompressionOf(head) != Compression::kNone) return false;
  const auto formats = AllFormats();
  return std::ranges::none_of(formats, [&](const TraceFormat* format) {
    return format->format != Format::kText && format->recognises != nullptr &&
           format->recognises(head);
  });
}

tl::unexpected<Error> CannotKeep() {
  return Fail(ErrorCode::kUnreadable, std::string("cannot be kept: ") + std::strerror(errno),
              "standard input");
}

Result<void> MoveToFile() {
  const char* folder = std::getenv("TMPDIR");
  const std::string path = std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") +
                           "/syncline-stdin-" + std::to_string(::getpid());
  SYNCLINE_ASSIGN(InputFile input, InputFile::OpenPacked("-"));
  SYNCLINE_ASSIGN(OutputFile output, OutputFile::Create(path, IfExists::kFail));
  std::vector<std::byte> block(kFileBlock);
  for (;;) {
    SYNCLINE_ASSIGN(const size_t n, input.Read(block));
    if (n == 0) break;
    SYNCLINE_TRY(output.Write(std::span<const std::byte>(block).first(n)));
  }
  SYNCLINE_TRY(output.Commit());
  const FileDescriptor kept(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  ::unlink(path.c_str());
  if (kept.get() < 0 || ::dup2(kept.get(), STDIN_FILENO) < 0) return CannotKeep();
  return {};
}

}  // namespace

Result<void> KeepStandardInput(std::vector<std::string>& inputs) {
  const auto found = std::ranges::find_if(inputs, IsStandardInput);
  if (found == inputs.end() || IsReadAsItComes(PeekStandardInput())) return {};
  SYNCLINE_TRY(MoveToFile());
  for (std::string& input : inputs) {
    if (IsStandardInput(input)) input.replace(input.size() - 1, 1, "/dev/stdin");
  }
  return {};
}

}  // namespace syncline
