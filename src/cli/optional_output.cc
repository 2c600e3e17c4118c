#include "cli/optional_output.h"

#include <filesystem>
#include <utility>

#include "base/compression.h"
#include "base/try.h"

namespace syncline {

Result<void> CheckOutputs(const std::vector<std::string>& outputs,
                          const std::vector<std::string>& read) {
  std::vector<std::string> taken = read;
  for (const std::string& output : outputs) {
    if (output.empty() || output == "-") continue;
    for (const std::string& path : taken) {
      std::error_code ignored;
      if (output != path && !std::filesystem::equivalent(output, path, ignored)) continue;
      return Fail(ErrorCode::kUsage, "is read, or written for another option", output);
    }
    taken.push_back(output);
  }
  return {};
}

Result<std::optional<OutputFile>> OptionalOutput(const std::string& path, IfExists if_exists) {
  if (path.empty()) return std::nullopt;
  SYNCLINE_ASSIGN(auto file, CreateAsNamed(path, if_exists));
  return std::optional<OutputFile>(std::move(file));
}

Result<void> FinishOutput(std::optional<OutputFile>& output, const std::string& text) {
  if (!output) return {};
  SYNCLINE_TRY(output->Write(text));
  return output->Commit();
}

}  // namespace syncline
