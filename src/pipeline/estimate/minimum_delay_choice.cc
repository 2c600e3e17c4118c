#include "pipeline/estimate/minimum_delay_choice.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <set>
#include <sstream>
#include <string_view>

#include "base/duration_text.h"
#include "base/file.h"
#include "base/parse_number.h"
#include "base/try.h"

namespace syncline {
namespace {

constexpr double kMostPerByte = 1e6;  // ns; a kilobyte a second

std::optional<int64_t> ParseDelay(std::string_view text) {
  const auto ns = ParseDuration(text);
  return ns && *ns <= kLongestMinimumDelayNs ? std::optional(*ns) : std::nullopt;
}

// FROM TO NS [NS_PER_BYTE]; an empty line leaves the choice as it is.
bool ReadLine(const std::string& line, MinimumDelayChoice& choice) {
  std::istringstream fields(line.substr(0, line.find('#')));
  std::string from, to, fixed, per_byte, more;
  if (!(fields >> from)) return true;
  if (!(fields >> to >> fixed)) return false;
  if (!(fields >> per_byte)) per_byte = "0";
  if (fields >> more) return false;
  const auto ns = ParseDelay(fixed);
  const auto ns_per_byte = ParseNumber<double>(per_byte);
  if (!ns || !ns_per_byte || !(*ns_per_byte >= 0 && *ns_per_byte <= kMostPerByte)) return false;
  choice.by_direction[{from, to}] = {*ns, std::llround(*ns_per_byte * 1000)};
  return true;
}

Result<MinimumDelayChoice> ReadFile(const std::string& path) {
  SYNCLINE_ASSIGN(auto content, ReadWholeFile(path));
  MinimumDelayChoice choice;
  std::istringstream lines(content);
  std::string line;
  for (uint64_t number = 1; std::getline(lines, line); ++number) {
    if (ReadLine(line, choice)) continue;
    return Fail(
        ErrorCode::kMalformed,
        "expected FROM TO NS [NS_PER_BYTE] with NS a duration up to 13 days, like 400us, or whole "
        "nanoseconds",
        path, LineColumn{number, 1});
  }
  return choice;
}

// Not a name somebody gives a file, or begun like a number and no file.
bool MeansNumber(const std::string& text) {
  std::error_code ignored;
  return ParseNumber<double>(text) || text.find_first_not_of("0123456789-+.") == text.npos ||
         (std::strchr("0123456789-+.", text[0]) && !std::filesystem::exists(text, ignored));
}

}  // namespace

Result<MinimumDelayChoice> ParseMinimumDelay(const std::string& text) {
  MinimumDelayChoice choice;
  if (text == "auto") {
    choice.is_auto = true;
    return choice;
  }
  choice.all_ns = ParseDelay(text);
  if (choice.all_ns) return choice;
  if (text.empty() || !MeansNumber(text)) return ReadFile(text);
  return Fail(
      ErrorCode::kUsage,
      "--min-delay: expected a duration up to 13 days, like 400us, or whole nanoseconds, auto or a "
      "file, not " +
          text);
}

std::vector<std::string> UnknownClocks(const MinimumDelayChoice& choice, const TraceSet& traces) {
  std::set<std::string> names;
  for (const auto& [direction, delay] : choice.by_direction) {
    names.insert({direction.first, direction.second});
  }
  for (const Clock& clock : traces.clocks) names.erase(clock.name);
  return {names.begin(), names.end()};
}

}  // namespace syncline
