// Ownership and errors of libbabeltrace2's objects.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <babeltrace2/babeltrace.h>

#include "syncline/result.h"

namespace syncline {

template <auto Put>
struct PutRef {
  template <typename T>
  void operator()(const T* object) const {
    Put(object);
  }
};
using GraphPtr = std::unique_ptr<bt_graph, PutRef<bt_graph_put_ref>>;
using PluginPtr = std::unique_ptr<const bt_plugin, PutRef<bt_plugin_put_ref>>;
using ValuePtr = std::unique_ptr<bt_value, PutRef<bt_value_put_ref>>;

// The library's classes and plugins count their references without locks: whoever makes or
// destroys graphs holds this. Reading needs no lock.
std::mutex& CtfLibraryMutex();

// What went wrong last in this thread, in the library's words, without the tail of callers; nothing
// where nothing did. The library's record of it is cleared, as it must be before it is used again.
std::optional<std::string> TakeAnyCtfError();
// The same where something did.
std::string TakeCtfError();

// The plugin of this name, from where the library looks for them.
Result<PluginPtr> FindCtfPlugin(const char* name);

}  // namespace syncline
