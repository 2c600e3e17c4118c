#include "read/ctf/library.h"

#include <fmt/format.h>

namespace syncline {

std::mutex& CtfLibraryMutex() {
  static std::mutex mutex;
  return mutex;
}

std::string TakeCtfError() {
  const bt_error* error = bt_current_thread_take_error();
  if (error == nullptr) return "libbabeltrace2 gives no reason";
  std::string text = "libbabeltrace2 gives no reason";
  // The first cause is the innermost.
  if (bt_error_get_cause_count(error) > 0) {
    text = bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, 0));
  }
  bt_error_release(error);
  return text;
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

}  // namespace syncline
