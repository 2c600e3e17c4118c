#include "read/chrome/nccl_operation.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

#include "base/parse_number.h"
#include "base/utf8.h"

namespace syncline {
namespace {

using simdjson::dom::element;

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool EqualsIgnoringCase(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return Lower(a) == b; });
}

// How names begin, without their case and what is no letter; longer ones first.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kKinds = {{
    {"allreduce", "allreduce"},
    {"allgather", "allgather"},
    {"alltoall", "alltoall"},
    {"reducescatter", "reduce_scatter"},
    {"reduce", "reduce"},
    {"broadcast", "bcast"},
    {"barrier", "barrier"},
    {"gather", "gather"},
    {"scatter", "scatter"},
    {"send", "send"},
    {"recv", "recv"},
}};

std::string TextOf(const element& value) {
  std::string_view text;
  int64_t number = 0;
  if (value.get_string().get(text) == simdjson::SUCCESS) return PrintableName(text);
  if (value.get_int64().get(number) == simdjson::SUCCESS) return fmt::to_string(number);
  if (value.is_null()) return "";
  return simdjson::to_string(value);
}

// Also of numbers that are written as strings.
std::optional<int64_t> NumberOf(const element& value) {
  int64_t number = 0;
  if (value.get_int64().get(number) == simdjson::SUCCESS) return number;
  return ParseNumber<int64_t>(TextOf(value));
}

// Of a list of sizes, perhaps shortened: "[4, 0, ...]".
bool MayHoldZero(std::string_view sizes) {
  if (sizes.find("...") != std::string_view::npos) return true;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const bool begins = i == 0 || sizes[i - 1] < '0' || sizes[i - 1] > '9';
    const bool ends = i + 1 == sizes.size() || sizes[i + 1] < '0' || sizes[i + 1] > '9';
    if (sizes[i] == '0' && begins && ends) return true;
  }
  return false;
}

// "[4, 0, ...]", which may be shortened, at a place.
std::optional<int64_t> ListedAt(std::string_view list, int64_t place) {
  list.remove_prefix(std::min(list.find_first_of("0123456789"), list.size()));
  for (; place > 0 && !list.empty(); --place) {
    list.remove_prefix(std::min(list.find(','), list.size()));
    list.remove_prefix(std::min(list.find_first_of("0123456789"), list.size()));
  }
  if (place < 0) return std::nullopt;
  return ParseNumber<int64_t>(list.substr(0, list.find_first_not_of("0123456789")));
}

struct RootOfGroup {
  std::optional<element> place, ranks;
};

void TakeArgument(std::string_view key, const element& value, NcclArguments& taken,
                  RootOfGroup& root) {
  switch (key.size()) {
    case 3:
      if (key == "Seq") taken.sequence = NumberOf(value);
      break;
    case 4:
      if (key == "Rank") root.place = value;
      break;
    case 5:
      if (key == "dtype") taken.size += " " + TextOf(value);
      break;
    case 8:
      if (key == "Comms Id") taken.instance = TextOf(value);
      if (key == "Src Rank") taken.source_rank = NumberOf(value);
      if (key == "Dst Rank") taken.destination_rank = NumberOf(value);
      break;
    case 10:
      if (key == "Input Dims" && taken.size.empty()) taken.size = TextOf(value);
      break;
    case 11:
      if (key == "correlation") taken.correlation = NumberOf(value);
      break;
    case 15:
      if (key == "Collective name") taken.collective = TextOf(value);
      break;
    case 18:
      if (key == "Process Group Name") taken.group = TextOf(value) + taken.group;
      break;
    case 19:
      if (key != "Process Group Ranks") break;
      root.ranks = value;
      if (const std::string ranks = TextOf(value); !ranks.empty()) taken.group += " " + ranks;
      break;
    default:
      if (key == "In msg nelems") taken.size = TextOf(value) + taken.size;
      if (key == "In split size" || key == "Out split size") {
        taken.may_leave_out = taken.may_leave_out || MayHoldZero(TextOf(value));
      }
  }
}

// With room behind it, as simdjson needs it.
simdjson::simdjson_result<element> ParseWithRoom(std::string_view json,
                                                 simdjson::dom::parser& parser) {
  thread_local std::string text;
  text.assign(json);
  text.append(simdjson::SIMDJSON_PADDING, ' ');
  return parser.parse(text.data(), json.size(), false);
}

}  // namespace

std::string_view CollectiveKind(std::string_view name) {
  if (name.starts_with("nccl:")) name.remove_prefix(5);
  // ncclKernel_KIND_…, ncclDevKernel_KIND_…
  if (name.starts_with("nccl")) name.remove_prefix(std::min(name.find('_'), name.size()));
  std::string letters;
  for (const char c : name.substr(0, name.find('('))) {
    if (Lower(c) >= 'a' && Lower(c) <= 'z') letters += Lower(c);
  }
  if (letters.starts_with("sendrecv")) return "";
  for (const auto& [begin, kind] : kKinds) {
    if (letters.starts_with(begin)) return kind;
  }
  return "";
}

bool HasRoot(std::string_view kind) {
  return kind == "reduce" || kind == "gather" || IsFromRoot(kind);
}
bool IsFromRoot(std::string_view kind) { return kind == "bcast" || kind == "scatter"; }

bool IsNcclKernel(const ChromeEvent& event) {
  return event.phase == 'X' && event.name.text.size() > 4 &&
         EqualsIgnoringCase(event.name.text.substr(0, 4), "nccl") &&
         EqualsIgnoringCase(event.category.text, "kernel");
}

bool IsNcclCall(const ChromeEvent& event) {
  if (event.phase != 'X') return false;
  if (event.name.text == "record_param_comms") return true;
  return event.name.text.starts_with("nccl:") &&
         !EqualsIgnoringCase(event.category.text, "gpu_user_annotation");
}

bool IsLaunch(const ChromeEvent& event) {
  return event.phase == 'X' && (EqualsIgnoringCase(event.category.text, "cuda_runtime") ||
                                EqualsIgnoringCase(event.category.text, "cuda_driver") ||
                                EqualsIgnoringCase(event.category.text, "runtime"));
}

NcclArguments ParseNcclArguments(std::string_view args) {
  NcclArguments taken;
  thread_local simdjson::dom::parser parser;  // which keeps its memory
  simdjson::dom::object object;
  if (args.empty() || ParseWithRoom(args, parser).get_object().get(object) != simdjson::SUCCESS) {
    return taken;
  }
  RootOfGroup root;
  for (const auto& [key, value] : object) TakeArgument(key, value, taken, root);
  if (!root.place || !root.ranks) return taken;
  if (const auto place = NumberOf(*root.place)) {
    taken.root_rank = ListedAt(TextOf(*root.ranks), *place);
  }
  return taken;
}

std::string NameInArguments(std::string_view args) {
  simdjson::dom::parser parser;
  element name;
  if (args.empty() || parser.parse(args.data(), args.size())["name"].get(name)) return "";
  return TextOf(name);
}

}  // namespace syncline
