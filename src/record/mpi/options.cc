#include "record/mpi/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace syncline::mpi {
namespace {

constexpr std::string_view kPrefix = "SYNCLINE_MPI_";

template <typename T>
using Choice = std::pair<std::string_view, T>;

constexpr std::array kClocks = {Choice<ClockSource>{"monotonic", ClockSource::kMonotonic},
                                Choice<ClockSource>{"monotonic-raw", ClockSource::kMonotonicRaw},
                                Choice<ClockSource>{"realtime", ClockSource::kRealtime},
                                Choice<ClockSource>{"counter", ClockSource::kCounter}};
constexpr std::array kShapes = {Choice<BurstShape>{"root", BurstShape::kRoot},
                                Choice<BurstShape>{"tree", BurstShape::kTree},
                                Choice<BurstShape>{"broadcast", BurstShape::kBroadcast}};
constexpr std::array kSwitch = {Choice<bool>{"0", false}, Choice<bool>{"1", true}};

// Takes variables one after the other and remembers the first that makes no sense.
class Variables {
 public:
  explicit Variables(const std::string& text) : text_(text) {}

  template <typename T, size_t kSize>
  T OneOf(const char* name, const std::array<Choice<T>, kSize>& choices, T otherwise) {
    const char* value = Value(name);
    if (value == nullptr) return otherwise;
    for (const auto& [text, choice] : choices) {
      if (text == value) return choice;
    }
    Refuse(name, value);
    return otherwise;
  }
  template <typename T>
  T Number(const char* name, T otherwise) {
    const char* value = Value(name);
    if (value == nullptr) return otherwise;
    const std::string_view text(value);
    T number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size() && !text.empty()) return number;
    Refuse(name, value);
    return otherwise;
  }
  std::string Text(const char* name, const std::string& otherwise) {
    const char* value = Value(name);
    if (value == nullptr) return otherwise;
    if (*value == '\0') Refuse(name, value);
    return value;
  }
  const std::string& refused() const { return refused_; }

 private:
  void Refuse(const char* name, const char* value) {
    if (refused_.empty()) refused_ = fmt::format("{}={} is not understood", name, value);
  }
  // Nullptr where it is not set.
  const char* Value(const char* name) const {
    const std::string wanted = fmt::format("{}=", name);
    for (size_t at = 0; at < text_.size(); at = text_.find('\0', at) + 1) {
      if (text_.compare(at, wanted.size(), wanted) == 0) return text_.c_str() + at + wanted.size();
    }
    return nullptr;
  }

  const std::string& text_;
  std::string refused_;
};

}  // namespace

Result<Options> OptionsOf(const std::string& text) {
  Variables variables(text);
  Options options;
  options.folder = variables.Text("SYNCLINE_MPI_OUT", options.folder);
  while (options.folder.size() > 1 && options.folder.back() == '/') options.folder.pop_back();
  options.clock = variables.OneOf("SYNCLINE_MPI_CLOCK", kClocks, options.clock);
  options.shape = variables.OneOf("SYNCLINE_MPI_BURST", kShapes, options.shape);
  options.exchanges = variables.Number("SYNCLINE_MPI_EXCHANGES", options.exchanges);
  options.burst_every = variables.Number("SYNCLINE_MPI_BURST_EVERY", options.burst_every);
  options.most_bytes = variables.Number("SYNCLINE_MPI_MAX_BYTES", options.most_bytes);
  options.keeps_regions = variables.OneOf("SYNCLINE_MPI_REGIONS", kSwitch, options.keeps_regions);
  options.is_verbose = variables.OneOf("SYNCLINE_MPI_VERBOSE", kSwitch, options.is_verbose);
  if (!variables.refused().empty()) return Fail(ErrorCode::kUsage, variables.refused());
#if !defined(__x86_64__)
  if (options.clock == ClockSource::kCounter)
    return Fail(ErrorCode::kUsage, "SYNCLINE_MPI_CLOCK=counter needs an x86-64 processor");
#endif
  if (options.keeps_regions && options.clock == ClockSource::kCounter)
    return Fail(ErrorCode::kUsage, "SYNCLINE_MPI_REGIONS=1 needs a clock that counts nanoseconds");
  return options;
}

std::string VariablesIn(const char* const* environment) {
  std::vector<std::string_view> variables;
  for (; *environment != nullptr; ++environment) {
    const std::string_view variable(*environment);
    if (variable.starts_with(kPrefix)) variables.push_back(variable);
  }
  std::ranges::sort(variables);
  std::string text;
  for (const std::string_view variable : variables) {
    text += variable;
    text += '\0';
  }
  return text;
}

const char* NameOf(ClockSource source) {
  for (const auto& [text, choice] : kClocks) {
    if (choice == source) return text.data();
  }
  return "";
}

}  // namespace syncline::mpi
