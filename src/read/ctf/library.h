// Ownership and errors of libbabeltrace2's objects, and what its readers and writers share.
//
// The library's classes and plugins count their references without locks: graphs are made and
// destroyed in one thread. Here that is the only one of a process for each trace (ctf_child.h).
#pragma once

#include <cstdint>
#include <memory>
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

// What went wrong last in this thread, in the library's words, without the tail of callers; nothing
// where nothing did. The library's record of it is cleared, as it must be before it is used again.
std::optional<std::string> TakeAnyCtfError();
// The same where something did.
std::string TakeCtfError();

// The plugin of this name, from where the library looks for them.
Result<PluginPtr> FindCtfPlugin(const char* name);
// The one that reads and writes CTF; it stays loaded. To be called before processes are forked, for
// each of which it then need not be searched. Threads: any.
Result<const bt_plugin*> CtfPlugin();
// Those of source.ctf.fs for one trace; nullptr where memory is short.
ValuePtr InputParameters(const std::string& folder);

inline bool IsA(const bt_field_class* field_class, bt_field_class_type type) {
  return bt_field_class_type_is(bt_field_class_get_type(field_class), type) == BT_TRUE;
}
// Requires a structure.
inline const bt_field_class* ClassOfMember(const bt_field_class* structure, uint64_t member) {
  return bt_field_class_structure_member_borrow_field_class_const(
      bt_field_class_structure_borrow_member_by_index_const(structure, member));
}

}  // namespace syncline
