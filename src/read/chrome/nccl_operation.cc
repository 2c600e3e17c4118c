#include "read/chrome/nccl_operation.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

#include "base/parse_number.h"
#include "base/utf8.h"
#include "read/chrome/chrome_batch.h"

namespace syncline {
namespace {

namespace ondemand = simdjson::ondemand;

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

std::optional<int64_t> IntegerOf(ondemand::value& value) {
  int64_t number = 0;
  return value.get_int64().get(number) == simdjson::SUCCESS ? std::optional(number) : std::nullopt;
}

std::string TextOf(ondemand::value& value) {
  ondemand::json_type type{};
  std::string_view text;
  if (value.type().get(type) != simdjson::SUCCESS || type == ondemand::json_type::null) return "";
  if (type == ondemand::json_type::number) {
    if (const auto number = IntegerOf(value)) return fmt::to_string(*number);
  }
  if (simdjson::to_json_string(value).get(text) != simdjson::SUCCESS) return "";
  if (type != ondemand::json_type::string) return WithoutBlanks(text);
  if (text.find('\\') == std::string_view::npos) {
    return PrintableName(text.substr(1, text.size() - 2));
  }
  return value.get_string().get(text) == simdjson::SUCCESS ? PrintableName(text) : "";
}

// Also of numbers that are written as strings.
std::optional<int64_t> NumberOf(ondemand::value& value) {
  const auto number = IntegerOf(value);
  return number ? number : ParseNumber<int64_t>(TextOf(value));
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
  std::optional<int64_t> place;
  std::string ranks;
};

// `key` as IsKey() takes it.
void TakeArgument(const char* key, ondemand::value& value, NcclArguments& taken,
                  RootOfGroup& root) {
  switch (*key) {
    case 'C':
      if (IsKey(key, "Collective name")) taken.collective = TextOf(value);
      if (IsKey(key, "Comms Id")) taken.instance = TextOf(value);
      break;
    case 'D':
      if (IsKey(key, "Dst Rank")) taken.destination_rank = NumberOf(value);
      break;
    case 'I':
      if (IsKey(key, "In msg nelems")) taken.size = TextOf(value) + taken.size;
      if (IsKey(key, "Input Dims") && taken.size.empty()) taken.size = TextOf(value);
      [[fallthrough]];
    case 'O':
      if (IsKey(key, "In split size") || IsKey(key, "Out split size")) {
        taken.may_leave_out = taken.may_leave_out || MayHoldZero(TextOf(value));
      }
      break;
    case 'P':
      if (IsKey(key, "Process Group Name")) taken.group = TextOf(value) + taken.group;
      if (IsKey(key, "Process Group Ranks")) {
        root.ranks = TextOf(value);
        if (!root.ranks.empty()) taken.group += " " + root.ranks;
      }
      break;
    case 'R':
      if (IsKey(key, "Rank")) root.place = NumberOf(value);
      break;
    case 'S':
      if (IsKey(key, "Seq")) taken.sequence = NumberOf(value);
      if (IsKey(key, "Src Rank")) taken.source_rank = NumberOf(value);
      break;
    case 'c':
      if (IsKey(key, "correlation")) taken.correlation = NumberOf(value);
      break;
    case 'd':
      if (IsKey(key, "dtype")) taken.size += " " + TextOf(value);
      break;
    default: break;
  }
}

// Takes what it can up to an error. Requires: room behind the text, as simdjson needs it.
simdjson::error_code TakeArguments(const std::string& args, NcclArguments& taken,
                                   RootOfGroup& root) {
  thread_local ondemand::parser parser;  // which keeps its memory
  ondemand::document document;
  ondemand::object object;
  const bool has_escapes = args.find('\\') != std::string::npos;
  if (auto error = parser.iterate(args).get(document)) return error;
  if (auto error = document.get_object().get(object)) return error;
  for (simdjson::simdjson_result<ondemand::field> found : object) {
    if (auto error = found.error()) return error;
    ondemand::field&& field = std::move(found).value_unsafe();
    std::string plain_key;
    if (has_escapes) plain_key = PlainKey(field);
    const char* const key = has_escapes ? plain_key.c_str() : field.key().raw();
    TakeArgument(key, field.value(), taken, root);
  }
  return simdjson::SUCCESS;
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
  thread_local std::string text;  // with room behind it
  text.reserve(args.size() + simdjson::SIMDJSON_PADDING);
  text.assign(args);
  NcclArguments taken;
  RootOfGroup root;
  if (args.empty() || TakeArguments(text, taken, root) != simdjson::SUCCESS) return {};
  if (root.place) taken.root_rank = ListedAt(root.ranks, *root.place);
  return taken;
}

std::string NameInArguments(std::string_view args) {
  simdjson::dom::parser parser;
  simdjson::dom::element name;
  if (args.empty() || parser.parse(args.data(), args.size())["name"].get(name)) return "";
  std::string_view text;
  if (name.is_null()) return "";
  return name.get_string().get(text) == simdjson::SUCCESS ? PrintableName(text)
                                                          : simdjson::to_string(name);
}

}  // namespace syncline
