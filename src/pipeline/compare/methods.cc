#include "pipeline/compare/methods.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "report/table.h"

namespace syncline {
namespace {

constexpr const char* kBothWays = "messages both ways";
constexpr const char* kMessages = "messages";

constexpr std::array kMethods = [] {
  using enum GroupMethod;
  using enum LineMethod;
  return std::array{
      Method{"tree-error/widest", kTreeError, kWidest, kBothWays, "middle of the widest corridor"},
      Method{"tree-error/bisector", kTreeError, kBisector, kBothWays, "between the extreme lines"},
      Method{"tree-error/regression", kTreeError, kRegression, kBothWays, "least squares"},
      Method{"tree-error/robust", kTreeError, kRobust, kBothWays, "least trimmed squares"},
      Method{"tree-error/two-point", kTreeError, kTwoPoint, kBothWays, "two quick exchanges"},
      Method{"tree-error/minmax", kTreeError, kMinMax, kBothWays, "middles of intervals"},
      Method{"tree-hops/widest", kTreeHops, kWidest, kBothWays, "the first, over the fewest pairs"},
      Method{"closure", kClosure, std::nullopt, kBothWays, "a line through offsets of intervals"},
      Method{"piecewise", kPiecewise, std::nullopt, kBothWays, "bends between equal intervals"},
      Method{"broadcast", kBroadcast, std::nullopt, "broadcasts", "instants of their reception"},
      Method{"joint", kJoint, std::nullopt, kMessages, "all pairs at once, by linear programmes"},
      Method{"drift-bounded", kDriftBounded, std::nullopt, kMessages,
             "all that a limit of the rates allows"},
  };
}();

bool Selects(std::string_view word, const Method& method) {
  return word == "all" || word == method.name || word == method.GroupName() ||
         (!method.LineName().empty() && word == method.LineName());
}

std::vector<std::string_view> Words(std::string_view list) {
  std::vector<std::string_view> words;
  for (size_t at = 0; at <= list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    words.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

}  // namespace

std::string_view Method::GroupName() const { return name.substr(0, name.find('/')); }

std::string_view Method::LineName() const {
  const size_t slash = name.find('/');
  return slash == std::string_view::npos ? std::string_view() : name.substr(slash + 1);
}

std::span<const Method> AllMethods() { return kMethods; }

Result<std::vector<Method>> ParseMethods(const std::string& list) {
  std::array<bool, kMethods.size()> is_selected = {};
  for (const std::string_view word : Words(list)) {
    bool is_known = false;
    for (size_t i = 0; i < kMethods.size(); ++i) {
      const bool selects = Selects(word, kMethods[i]);
      is_selected[i] = is_selected[i] || selects;
      is_known = is_known || selects;
    }
    if (is_known) continue;
    return Fail(ErrorCode::kUsage,
                fmt::format("--methods: there is no method called \"{}\"; --list shows all", word));
  }
  std::vector<Method> methods;
  for (size_t i = 0; i < kMethods.size(); ++i) {
    if (is_selected[i]) methods.push_back(kMethods[i]);
  }
  return methods;
}

std::string MethodListText() {
  Table table({Left("method"), Left("needs"), Left("")});
  for (const Method& method : kMethods) {
    table.AddRow({std::string(method.name), std::string(method.needs), std::string(method.about)});
  }
  return table.ToString();
}

}  // namespace syncline
