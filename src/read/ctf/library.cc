#include "read/ctf/library.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace syncline {
namespace {

// Takes out "msg-it-addr=0x55d016302ab0, " and the like, and all that describes a component, which
// say nothing to users.
std::string WithoutDetails(std::string text) {
  text.erase(std::min(text.find(": status="), text.size()));
  constexpr std::string_view kMark = "addr=0x";
  for (size_t mark = text.find(kMark); mark != std::string::npos; mark = text.find(kMark)) {
    const size_t before = text.find_last_of(" ,", mark);
    const size_t begin = before == std::string::npos ? 0 : before + 1;
    size_t end =
        std::min(text.find_first_not_of("0123456789abcdef", mark + kMark.size()), text.size());
    if (text.compare(end, 2, ", ") == 0) end += 2;
    text.erase(begin, end - begin);
  }
  const size_t last = text.find_last_not_of(" .,:");
  return last == std::string::npos ? text : text.substr(0, last + 1);
}

}  // namespace

std::optional<std::string> TakeAnyCtfError() {
  const bt_error* error = bt_current_thread_take_error();
  if (error == nullptr) return std::nullopt;
  std::string text;
  // The first cause is the innermost.
  if (bt_error_get_cause_count(error) > 0) {
    text = bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, 0));
  }
  bt_error_release(error);
  return WithoutDetails(std::move(text));
}

std::string TakeCtfError() {
  const std::optional<std::string> error = TakeAnyCtfError();
  return error && !error->empty() ? *error : "libbabeltrace2 gives no reason";
}

Result<PluginPtr> FindCtfPlugin(const char* name) {
  const bt_plugin* plugin = nullptr;
  const auto status = bt_plugin_find(name, BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE, &plugin);
  if (status == BT_PLUGIN_FIND_STATUS_OK) return PluginPtr(plugin);
  const std::string reason =
      status == BT_PLUGIN_FIND_STATUS_NOT_FOUND ? "it is not installed" : TakeCtfError();
  return Fail(ErrorCode::kUnsupported,
              fmt::format("libbabeltrace2's plugin \"{}\" cannot be loaded: {}", name, reason));
}

Result<const bt_plugin*> CtfPlugin() {
  static const Result<PluginPtr>& plugin = *new Result<PluginPtr>(FindCtfPlugin("ctf"));
  if (!plugin) return tl::unexpected(plugin.error());
  return plugin->get();
}

ValuePtr InputParameters(const std::string& folder) {
  ValuePtr parameters(bt_value_map_create());
  bt_value* inputs = nullptr;
  const bool is_done = parameters != nullptr &&
                       bt_value_map_insert_empty_array_entry(parameters.get(), "inputs", &inputs) ==
                           BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK &&
                       bt_value_array_append_string_element(inputs, folder.c_str()) ==
                           BT_VALUE_ARRAY_APPEND_ELEMENT_STATUS_OK;
  return is_done ? std::move(parameters) : nullptr;
}

}  // namespace syncline
