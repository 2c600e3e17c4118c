#include "base/copy_file.h"

#include <cstddef>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "base/try.h"

namespace syncline {

namespace fs = std::filesystem;

Result<void> CopyFile(const std::string& from, const std::string& to) {
  SYNCLINE_ASSIGN(auto input, InputFile::OpenPacked(from));
  SYNCLINE_ASSIGN(auto output, OutputFile::Create(to, IfExists::kFail));
  std::vector<std::byte> block(kFileBlock);
  for (;;) {
    SYNCLINE_ASSIGN(const size_t bytes, input.Read(block));
    if (bytes == 0) break;
    SYNCLINE_TRY(output.Write(std::span(block).first(bytes)));
  }
  SYNCLINE_TRY(output.Commit());
  // As private as it was.
  std::error_code error;
  fs::permissions(to, fs::status(from, error).permissions(), error);
  return {};
}

Result<void> LinkOrCopy(const std::string& from, const std::string& to) {
  std::error_code error;
  fs::create_hard_link(fs::canonical(from, error), to, error);
  if (!error) return {};
  return CopyFile(from, to);
}

}  // namespace syncline
