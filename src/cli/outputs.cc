#include "cli/outputs.h"

#include <algorithm>
#include <filesystem>
#include <map>

namespace syncline {
namespace {

namespace fs = std::filesystem;

std::string FileName(const Input& input) { return fs::path(input.path).filename().string(); }

std::vector<std::string> TraceNames(std::span<const Input> inputs) {
  std::map<std::string, int> uses;
  for (const Input& input : inputs) ++uses[FileName(input)];
  std::vector<std::string> names;
  for (const Input& input : inputs) {
    const std::string name = FileName(input);
    const bool is_unique = uses[name] == 1 || input.name.empty();
    names.push_back(is_unique ? name : input.name + fs::path(name).extension().string());
  }
  return names;
}

}  // namespace

Result<void> CheckOutput(const std::string& path, std::span<const Input> inputs,
                         IfExists if_exists) {
  if (path.empty() || path == "-") return {};
  std::error_code error;
  if (!fs::exists(path, error)) return {};
  for (const Input& input : inputs) {
    if (fs::equivalent(path, input.path, error)) {
      return Fail(ErrorCode::kUsage, "is an input, and inputs are never overwritten", path);
    }
  }
  if (if_exists == IfExists::kFail) {
    return Fail(ErrorCode::kUsage, "already exists (--force replaces it)", path);
  }
  if (fs::is_directory(path, error)) return Fail(ErrorCode::kUsage, "is a folder", path);
  return {};
}

Result<OutputPlan> PlanOutputs(std::span<const Input> inputs, const OutputRequest& request) {
  std::error_code error;
  fs::create_directories(request.folder, error);
  if (error) {
    return Fail(ErrorCode::kUnreadable, "cannot create the folder: " + error.message(),
                request.folder);
  }
  OutputPlan plan{.summary = (fs::path(request.folder) / "syncline.json").string(),
                  .merged = request.merged,
                  .json = request.json,
                  .if_exists = request.if_exists};
  for (const std::string& name : TraceNames(inputs)) {
    plan.traces.push_back((fs::path(request.folder) / name).string());
  }
  std::vector<std::string> all = plan.traces;
  for (const std::string& path : {plan.summary, plan.merged, plan.json}) {
    if (!path.empty() && path != "-") all.push_back(fs::path(path).lexically_normal().string());
  }
  for (const std::string& path : all) {
    if (auto ok = CheckOutput(path, inputs, request.if_exists); !ok) {
      return tl::unexpected(ok.error());
    }
    if (std::count(all.begin(), all.end(), path) > 1) {
      return Fail(ErrorCode::kUsage, "would be written twice; give the inputs names (NAME=PATH)",
                  path);
    }
  }
  return plan;
}

}  // namespace syncline
