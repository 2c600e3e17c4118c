// Reads all events of CTF traces with libbabeltrace2 and does nothing with them but count: the
// measure for bench/sync_ctf.sh.
//   ctf_read TRACE...        folders that hold a file `metadata`
// As lean as the library can be used: its source component, a sink of this program per stream, no
// muxer, no look at any field.

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <babeltrace2/babeltrace.h>

#include "read/ctf/library.h"

namespace {

using ConsumeStatus = bt_graph_simple_sink_component_consume_func_status;

ConsumeStatus Count(bt_message_iterator* iterator, void* user_data) {
  bt_message_array_const messages = nullptr;
  uint64_t count = 0;
  switch (bt_message_iterator_next(iterator, &messages, &count)) {
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK: break;
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_END:
      return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END;
    default: return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_ERROR;
  }
  for (uint64_t i = 0; i < count; ++i) {
    const bool is_event = bt_message_get_type(messages[i]) == BT_MESSAGE_TYPE_EVENT;
    *static_cast<uint64_t*>(user_data) += is_event ? 1 : 0;
    bt_message_put_ref(messages[i]);
  }
  return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
}

// False where the library reports an error.
bool ReadTrace(const bt_plugin* plugin, const std::string& folder, uint64_t* events) {
  const syncline::GraphPtr graph(bt_graph_create(0));
  const syncline::ValuePtr parameters(bt_value_map_create());
  bt_value* inputs = nullptr;
  bt_value_map_insert_empty_array_entry(parameters.get(), "inputs", &inputs);
  bt_value_array_append_string_element(inputs, folder.c_str());
  const bt_component_source* source = nullptr;
  const auto added = bt_graph_add_source_component(
      graph.get(), bt_plugin_borrow_source_component_class_by_name_const(plugin, "fs"), "source",
      parameters.get(), BT_LOGGING_LEVEL_NONE, &source);
  if (added != BT_GRAPH_ADD_COMPONENT_STATUS_OK) return false;
  const uint64_t ports = bt_component_source_get_output_port_count(source);
  for (uint64_t i = 0; i < ports; ++i) {
    const bt_component_sink* sink = nullptr;
    bt_graph_add_simple_sink_component(graph.get(), std::to_string(i).c_str(), nullptr, Count,
                                       nullptr, events, &sink);
    bt_graph_connect_ports(graph.get(),
                           bt_component_source_borrow_output_port_by_index_const(source, i),
                           bt_component_sink_borrow_input_port_by_index_const(sink, 0), nullptr);
  }
  return ports == 0 || bt_graph_run(graph.get()) == BT_GRAPH_RUN_STATUS_OK;
}

}  // namespace

int main(int argc, char** argv) {
  const auto plugin = syncline::FindCtfPlugin("ctf");
  if (!plugin) return 2;
  uint64_t events = 0;
  for (int i = 1; i < argc; ++i) {
    if (ReadTrace(plugin->get(), argv[i], &events)) continue;
    std::fprintf(stderr, "%s: %s\n", argv[i], syncline::TakeCtfError().c_str());
    return 2;
  }
  std::printf("%" PRIu64 " events\n", events);
  return 0;
}
