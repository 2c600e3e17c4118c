#include "read/ctf/testing/kernel_trace_builder.h"

#include <array>
#include <map>
#include <memory>
#include <span>

#include <babeltrace2/babeltrace.h>

#include "read/ctf/library.h"

namespace syncline {
namespace {

// A member of a header as the kernel's tracer declares it: an integer, or an array of them.
struct Member {
  const char* name;
  size_t bit;
  size_t bits;
  size_t numbers = 0;  // 0: no array
};
constexpr Member kIpv4[] = {{"version", 0, 4},   {"ihl", 4, 4},       {"tos", 8, 8},
                            {"tot_len", 16, 16}, {"id", 32, 16},      {"frag_off", 48, 16},
                            {"ttl", 64, 8},      {"protocol", 72, 8}, {"checksum", 80, 16},
                            {"saddr", 96, 8, 4}, {"daddr", 128, 8, 4}};
constexpr Member kIpv6[] = {{"version", 0, 4},       {"prio", 4, 4},       {"flow_lbl", 8, 8, 3},
                            {"payload_len", 32, 16}, {"nexthdr", 48, 8},   {"hop_limit", 56, 8},
                            {"saddr", 64, 16, 8},    {"daddr", 192, 16, 8}};
constexpr Member kTcp[] = {{"source_port", 0, 16}, {"dest_port", 16, 16},    {"seq", 32, 32},
                           {"ack_seq", 64, 32},    {"data_offset", 96, 4},   {"reserved", 100, 3},
                           {"flags", 103, 9},      {"window_size", 112, 16}, {"checksum", 128, 16},
                           {"urg_ptr", 144, 16}};
constexpr Member kUdp[] = {
    {"source_port", 0, 16}, {"dest_port", 16, 16}, {"len", 32, 16}, {"check", 48, 16}};
constexpr Member kIcmp[] = {
    {"type", 0, 8}, {"code", 8, 8}, {"checksum", 16, 16}, {"gateway", 32, 32}};

struct Option {
  const char* name;
  std::span<const Member> members;
};
constexpr Option kNetworks[] = {{"unknown", {}}, {"ipv4", kIpv4}, {"ipv6", kIpv6}};
constexpr Option kTransports[] = {{"unknown", {}}, {"tcp", kTcp}, {"udp", kUdp}, {"icmp", kIcmp}};

using RangePtr =
    std::unique_ptr<bt_integer_range_set_unsigned, PutRef<bt_integer_range_set_unsigned_put_ref>>;

uint64_t BitsOf(const HeaderBytes& bytes, size_t bit, size_t bits) {
  uint64_t number = 0;
  for (size_t i = bit; i < bit + bits; ++i) {
    number = number << 1 | (bytes.at(i / 8) >> (7 - i % 8) & 1u);
  }
  return number;
}

uint64_t NetworkOption(const KernelNetworkEvent& event) {
  if (event.network.empty()) return 0;
  return event.network[0] >> 4 == 4 ? 1 : 2;
}

uint64_t TransportOption(const KernelNetworkEvent& event) {
  if (event.transport.empty()) return 0;
  const uint8_t protocol = event.network.at(NetworkOption(event) == 1 ? 9 : 6);
  return protocol == 6 ? 1 : protocol == 17 ? 2 : 3;
}

// Takes the member's reference, so that only the structure holds it.
template <typename FieldClass>
void Append(bt_field_class* structure, const char* name, FieldClass* member) {
  bt_field_class_structure_append_member(structure, name, member);
  bt_field_class_put_ref(member);
}

bt_field_class* UnsignedClass(bt_trace_class* trace_class, size_t bits) {
  bt_field_class* const integer = bt_field_class_integer_unsigned_create(trace_class);
  bt_field_class_integer_set_field_value_range(integer, bits);
  return integer;
}

bt_field_class* StructureOf(bt_trace_class* trace_class, std::span<const Member> members) {
  bt_field_class* const structure = bt_field_class_structure_create(trace_class);
  for (const Member& member : members) {
    bt_field_class* field_class = UnsignedClass(trace_class, member.bits);
    if (member.numbers > 0) {
      bt_field_class* const element = field_class;
      field_class = bt_field_class_array_static_create(trace_class, element, member.numbers);
      bt_field_class_put_ref(element);
    }
    Append(structure, member.name, field_class);
  }
  return structure;
}

// Appends an enumeration and a variant that it selects, called NAME_type and NAME.
void AppendVariant(bt_trace_class* trace_class, bt_field_class* structure, const std::string& name,
                   std::span<const Option> options) {
  bt_field_class* const selector = bt_field_class_enumeration_unsigned_create(trace_class);
  bt_field_class_integer_set_field_value_range(selector, 8);
  const auto range_of = [](uint64_t number) {
    bt_integer_range_set_unsigned* const range = bt_integer_range_set_unsigned_create();
    bt_integer_range_set_unsigned_add_range(range, number, number);
    return RangePtr(range);
  };
  for (size_t i = 0; i < options.size(); ++i) {
    bt_field_class_enumeration_unsigned_add_mapping(selector, options[i].name, range_of(i).get());
  }
  bt_field_class* const variant = bt_field_class_variant_create(trace_class, selector);
  const bool is_network = options.data() == kNetworks;
  for (size_t i = 0; i < options.size(); ++i) {
    bt_field_class* const option = StructureOf(trace_class, options[i].members);
    if (is_network && i > 0) AppendVariant(trace_class, option, "transport_header", kTransports);
    bt_field_class_variant_with_selector_field_integer_unsigned_append_option(
        variant, options[i].name, option, range_of(i).get());
    bt_field_class_put_ref(option);
  }
  Append(structure, (name + "_type").c_str(), selector);
  Append(structure, name.c_str(), variant);
}

// The classes and streams of a trace, and its messages in order.
class Messages {
 public:
  Messages(const KernelTrace& trace, bt_self_component* component,
           bt_self_message_iterator* iterator)
      : iterator_(iterator) {
    DefineClasses(component);
    if (trace.clock_uuid != KernelTrace().clock_uuid) {
      bt_clock_class_set_uuid(clock_class_, trace.clock_uuid.data());
    }
    bt_trace* const made = bt_trace_create(trace_class_);
    bt_trace_set_environment_entry_string(made, "hostname", trace.hostname.c_str());
    bt_trace_set_environment_entry_string(made, "domain", "kernel");
    for (const KernelNetworkEvent& event : trace.events) {
      if (!streams_.contains(event.cpu)) Begin(made, event.cpu);
    }
    for (const KernelNetworkEvent& event : trace.events) AddEvent(event);
    for (const auto& [cpu, stream] : streams_) {
      messages_.push_back(bt_message_stream_end_create(iterator_, stream));
      bt_stream_put_ref(stream);
    }
    bt_trace_put_ref(made);
    PutClasses();
  }

  // The next messages, as many as there is room for; their references go to the caller.
  uint64_t Take(bt_message_array_const into, uint64_t room) {
    uint64_t taken = 0;
    while (taken < room && next_ < messages_.size()) into[taken++] = messages_[next_++];
    return taken;
  }

 private:
  void DefineClasses(bt_self_component* component) {
    trace_class_ = bt_trace_class_create(component);
    clock_class_ = bt_clock_class_create(component);
    bt_clock_class_set_name(clock_class_, "monotonic");
    stream_class_ = bt_stream_class_create(trace_class_);
    bt_stream_class_set_default_clock_class(stream_class_, clock_class_);
    for (const char* name : {"net_dev_queue", "net_if_receive_skb", "net_dev_xmit"}) {
      event_classes_[name] = DefineEventClass(name);
    }
  }

  bt_event_class* DefineEventClass(const std::string& name) {
    bt_event_class* const event_class = bt_event_class_create(stream_class_);
    bt_event_class_set_name(event_class, name.c_str());
    bt_field_class* const payload = bt_field_class_structure_create(trace_class_);
    Append(payload, "skbaddr", UnsignedClass(trace_class_, 64));
    Append(payload, "len", UnsignedClass(trace_class_, 32));
    Append(payload, "name", bt_field_class_string_create(trace_class_));
    if (name != "net_dev_xmit") {
      AppendVariant(trace_class_, payload, "network_header", kNetworks);
    }
    bt_event_class_set_payload_field_class(event_class, payload);
    bt_field_class_put_ref(payload);
    return event_class;
  }

  void Begin(bt_trace* trace, uint32_t cpu) {
    bt_stream* const stream = bt_stream_create(stream_class_, trace);
    bt_stream_set_name(stream, ("channel0_" + std::to_string(cpu)).c_str());
    streams_[cpu] = stream;
    messages_.push_back(bt_message_stream_beginning_create(iterator_, stream));
  }

  void AddEvent(const KernelNetworkEvent& event) {
    bt_message* const message = bt_message_event_create_with_default_clock_snapshot(
        iterator_, event_classes_.at(event.name), streams_.at(event.cpu), event.cycles);
    bt_field* const payload = bt_event_borrow_payload_field(bt_message_event_borrow_event(message));
    bt_field_integer_unsigned_set_value(MemberOf(payload, 0), 0xffff888000000000);
    bt_field_integer_unsigned_set_value(MemberOf(payload, 1), event.network.size());
    bt_field_string_set_value(MemberOf(payload, 2), event.device.c_str());
    if (event.name != "net_dev_xmit") SetHeaders(payload, event);
    messages_.push_back(message);
  }

  static bt_field* MemberOf(bt_field* structure, uint64_t member) {
    return bt_field_structure_borrow_member_field_by_index(structure, member);
  }

  static void SetHeaders(bt_field* payload, const KernelNetworkEvent& event) {
    const uint64_t network = NetworkOption(event);
    bt_field* const header = Select(payload, 3, network);
    if (network == 0) return;
    const std::span<const Member> members = kNetworks[network].members;
    SetMembers(header, members, event.network);
    const uint64_t transport = TransportOption(event);
    bt_field* const next = Select(header, members.size(), transport);
    SetMembers(next, kTransports[transport].members, event.transport);
  }

  // Sets the enumeration that is the member of this number; the variant after it follows.
  static bt_field* Select(bt_field* structure, uint64_t selector, uint64_t option) {
    bt_field_integer_unsigned_set_value(MemberOf(structure, selector), option);
    bt_field* const variant = MemberOf(structure, selector + 1);
    bt_field_variant_select_option_by_index(variant, option);
    return bt_field_variant_borrow_selected_option_field(variant);
  }

  static void SetMembers(bt_field* structure, std::span<const Member> members,
                         const HeaderBytes& bytes) {
    for (uint64_t m = 0; m < members.size(); ++m) {
      const auto [name, bit, bits, numbers] = members[m];
      bt_field* const field = MemberOf(structure, m);
      if (numbers == 0) bt_field_integer_unsigned_set_value(field, BitsOf(bytes, bit, bits));
      for (uint64_t i = 0; i < numbers; ++i) {
        bt_field_integer_unsigned_set_value(bt_field_array_borrow_element_field_by_index(field, i),
                                            BitsOf(bytes, bit + i * bits, bits));
      }
    }
  }

  void PutClasses() {
    for (const auto& [name, event_class] : event_classes_) bt_event_class_put_ref(event_class);
    bt_stream_class_put_ref(stream_class_);
    bt_clock_class_put_ref(clock_class_);
    bt_trace_class_put_ref(trace_class_);
  }

  bt_self_message_iterator* iterator_;
  bt_trace_class* trace_class_ = nullptr;
  bt_clock_class* clock_class_ = nullptr;
  bt_stream_class* stream_class_ = nullptr;
  std::map<std::string, bt_event_class*> event_classes_;
  std::map<uint32_t, bt_stream*> streams_;
  std::vector<const bt_message*> messages_;
  size_t next_ = 0;
};

bt_component_class_initialize_method_status InitializeSource(
    bt_self_component_source* source, bt_self_component_source_configuration* /*configuration*/,
    const bt_value* /*params*/, void* trace) {
  bt_self_component_set_data(bt_self_component_source_as_self_component(source), trace);
  bt_self_component_source_add_output_port(source, "out", nullptr, nullptr);
  return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

bt_message_iterator_class_initialize_method_status InitializeIterator(
    bt_self_message_iterator* iterator, bt_self_message_iterator_configuration* /*configuration*/,
    bt_self_component_port_output* /*port*/) {
  bt_self_component* const component = bt_self_message_iterator_borrow_component(iterator);
  const auto* const trace = static_cast<const KernelTrace*>(bt_self_component_get_data(component));
  bt_self_message_iterator_set_data(iterator, new Messages(*trace, component, iterator));
  return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

void FinalizeIterator(bt_self_message_iterator* iterator) {
  delete static_cast<Messages*>(bt_self_message_iterator_get_data(iterator));
}

bt_message_iterator_class_next_method_status Next(bt_self_message_iterator* iterator,
                                                  bt_message_array_const into, uint64_t room,
                                                  uint64_t* count) {
  *count = static_cast<Messages*>(bt_self_message_iterator_get_data(iterator))->Take(into, room);
  return *count > 0 ? BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK
                    : BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_END;
}

const bt_component_source* AddSource(bt_graph* graph, const KernelTrace& trace) {
  bt_message_iterator_class* const iterator_class = bt_message_iterator_class_create(Next);
  bt_message_iterator_class_set_initialize_method(iterator_class, InitializeIterator);
  bt_message_iterator_class_set_finalize_method(iterator_class, FinalizeIterator);
  bt_component_class_source* const source_class =
      bt_component_class_source_create("kernel", iterator_class);
  bt_component_class_source_set_initialize_method(source_class, InitializeSource);
  const bt_component_source* source = nullptr;
  bt_graph_add_source_component_with_initialize_method_data(graph, source_class, "kernel", nullptr,
                                                            const_cast<KernelTrace*>(&trace),
                                                            BT_LOGGING_LEVEL_NONE, &source);
  bt_component_class_source_put_ref(source_class);
  bt_message_iterator_class_put_ref(iterator_class);
  return source;
}

const bt_component_sink* AddSink(bt_graph* graph, const bt_plugin* plugin,
                                 const std::string& path) {
  const ValuePtr params(bt_value_map_create());
  bt_value_map_insert_string_entry(params.get(), "path", path.c_str());
  bt_value_map_insert_bool_entry(params.get(), "assume-single-trace", BT_TRUE);
  bt_value_map_insert_bool_entry(params.get(), "quiet", BT_TRUE);
  const bt_component_sink* sink = nullptr;
  bt_graph_add_sink_component(graph,
                              bt_plugin_borrow_sink_component_class_by_name_const(plugin, "fs"),
                              "files", params.get(), BT_LOGGING_LEVEL_NONE, &sink);
  return sink;
}

}  // namespace

std::string WriteKernelTrace(const KernelTrace& trace, const std::string& path) {
  const auto plugin = CtfPlugin();
  if (!plugin) return plugin.error().ToString();
  const GraphPtr graph(bt_graph_create(0));
  const bt_component_source* const source = AddSource(graph.get(), trace);
  const bt_component_sink* const sink = AddSink(graph.get(), *plugin, path);
  if (source == nullptr || sink == nullptr) return TakeCtfError();
  bt_graph_connect_ports(graph.get(),
                         bt_component_source_borrow_output_port_by_index_const(source, 0),
                         bt_component_sink_borrow_input_port_by_index_const(sink, 0), nullptr);
  if (bt_graph_run(graph.get()) != BT_GRAPH_RUN_STATUS_OK) return TakeCtfError();
  return {};
}

}  // namespace syncline
