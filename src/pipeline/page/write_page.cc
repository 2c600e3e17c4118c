#include "pipeline/page/write_page.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/compression.h"
#include "base/sha256.h"
#include "base/try.h"
#include "report/summary.h"
#include "trace/formats.h"

namespace syncline {

Result<OutputFile> CreatePage(const PageFile& request, std::span<const Input> inputs, Page page) {
  for (const Input& input : inputs) {
    std::error_code error;
    const bool is_folder = std::filesystem::is_directory(input.path, error);
    if (!is_folder && !std::filesystem::is_regular_file(input.path, error)) continue;
    SYNCLINE_ASSIGN(auto digest, is_folder ? Sha256OfFolder(input.path) : Sha256OfFile(input.path));
    page.inputs.push_back({input.path, std::move(digest)});
  }
  SYNCLINE_ASSIGN(auto file, CreateAsNamed(request.path, request.if_exists));
  SYNCLINE_TRY(file.Write(PageToHtml(page)));
  return file;
}

Result<OutputFile> WriteReport(const PageFile& file, ReportContent content,
                               const LoadedTraces& loaded, const Solution& solution,
                               const Retiming& retiming, const Summary& summary) {
  Page page{.summary_json = SummaryToJson(summary), .timeline = std::move(content.timeline)};
  SYNCLINE_ASSIGN(page.trace, MakeReportTrace(loaded, solution, retiming, content.window, {}));
  std::vector<Input> inputs;
  for (const LoadedInput& input : loaded.inputs) inputs.push_back(input.input);
  return CreatePage(file, inputs, std::move(page));
}

}  // namespace syncline
