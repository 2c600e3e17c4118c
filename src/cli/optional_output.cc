#include "cli/optional_output.h"

#include <utility>

namespace syncline {

Result<std::optional<OutputFile>> OptionalOutput(const std::string& path, IfExists if_exists) {
  if (path.empty()) return std::nullopt;
  auto file = OutputFile::Create(path, if_exists);
  if (!file) return tl::unexpected(file.error());
  return std::optional<OutputFile>(std::move(*file));
}

Result<void> FinishOutput(std::optional<OutputFile>& output, const std::string& text) {
  if (!output) return {};
  if (auto done = output->Write(text); !done) return done;
  return output->Commit();
}

}  // namespace syncline
