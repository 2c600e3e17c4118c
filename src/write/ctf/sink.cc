#include "write/ctf/sink.h"

#include "read/ctf/library.h"

namespace syncline::ctf_write {
namespace {

ValuePtr SinkParameters(const std::string& folder) {
  ValuePtr parameters(bt_value_map_create());
  if (parameters == nullptr ||
      bt_value_map_insert_string_entry(parameters.get(), "path", folder.c_str()) !=
          BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK ||
      bt_value_map_insert_bool_entry(parameters.get(), "assume-single-trace", BT_TRUE) !=
          BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK ||
      bt_value_map_insert_bool_entry(parameters.get(), "quiet", BT_TRUE) !=
          BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK) {
    return nullptr;
  }
  return parameters;
}

}  // namespace

const bt_component_sink* AddCtfSink(bt_graph* graph, const bt_plugin& plugin,
                                    const std::string& folder) {
  const ValuePtr parameters = SinkParameters(folder);
  const bt_component_class_sink* sinks =
      bt_plugin_borrow_sink_component_class_by_name_const(&plugin, "fs");
  const bt_component_sink* sink = nullptr;
  if (parameters == nullptr || sinks == nullptr ||
      bt_graph_add_sink_component(graph, sinks, "sink", parameters.get(), BT_LOGGING_LEVEL_NONE,
                                  &sink) != BT_GRAPH_ADD_COMPONENT_STATUS_OK) {
    return nullptr;
  }
  return sink;
}

}  // namespace syncline::ctf_write
