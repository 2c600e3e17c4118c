#include "base/pattern.h"

#include <array>

#include <fmt/format.h>
#include <re2/re2.h>

namespace syncline {
namespace {

// RE2 of before 2023 knows (?P<name>…) only; it has no (?<=…) nor (?<!…).
std::string WithPythonNames(std::string_view text) {
  std::string changed;
  bool in_class = false;
  for (size_t i = 0; i < text.size(); ++i) {
    changed += text[i];
    if (text[i] == '\\' && i + 1 < text.size()) {
      changed += text[++i];
    } else if (text[i] == '[' || text[i] == ']') {
      in_class = text[i] == '[';
    } else if (!in_class && text.substr(i).starts_with("(?<")) {
      changed += "?P";
      ++i;
    }
  }
  return changed;
}

}  // namespace

Result<Pattern> Pattern::Compile(std::string_view text) {
  re2::RE2::Options options(re2::RE2::Latin1);
  options.set_log_errors(false);
  Pattern pattern;
  pattern.text_ = text;
  pattern.expression_ = std::make_shared<const re2::RE2>(WithPythonNames(text), options);
  if (!pattern.expression_->ok()) {
    return Fail(ErrorCode::kUsage,
                fmt::format("is no regular expression: {}", pattern.expression_->error()));
  }
  if (pattern.expression_->NumberOfCapturingGroups() > kMaxGroups) {
    return Fail(ErrorCode::kUsage,
                fmt::format("has more than {} groups; (?:…) groups without one", kMaxGroups));
  }
  for (const auto& [number, name] : pattern.expression_->CapturingGroupNames()) {
    pattern.names_.push_back(name);
    pattern.numbers_.push_back(number);
  }
  return pattern;
}

bool Pattern::Find(std::string_view text, std::span<std::string_view> groups) const {
  std::array<re2::StringPiece, kMaxGroups + 1> found;
  const int wanted = numbers_.empty() ? 0 : numbers_.back() + 1;
  if (!expression_->Match({text.data(), text.size()}, 0, text.size(), re2::RE2::UNANCHORED,
                          found.data(), wanted)) {
    return false;
  }
  for (size_t i = 0; i < numbers_.size(); ++i) {
    const re2::StringPiece& piece = found[static_cast<size_t>(numbers_[i])];
    groups[i] = {piece.data(), piece.size()};
  }
  return true;
}

}  // namespace syncline
