#include "write/ctf/exported_classes.h"

#include <span>

namespace syncline::ctf_write {
namespace {

using FieldClassPtr = std::unique_ptr<bt_field_class, PutRef<bt_field_class_put_ref>>;
using ClockClassPtr = std::unique_ptr<bt_clock_class, PutRef<bt_clock_class_put_ref>>;

enum class FieldType { kSigned, kUnsigned, kText };
struct FieldSpec {
  const char* name;
  FieldType type;
};

constexpr std::array<FieldSpec, 3> kTransfer = {{{"message", FieldType::kUnsigned},
                                                 {"peer", FieldType::kText},
                                                 {"bytes", FieldType::kUnsigned}}};
constexpr std::array<FieldSpec, 4> kPart = {{{"instance", FieldType::kUnsigned},
                                             {"group", FieldType::kText},
                                             {"bytes", FieldType::kUnsigned},
                                             {"root", FieldType::kUnsigned}}};
struct ClassSpec {
  const char* name;
  std::span<const FieldSpec> fields;
};
// By ExportedClass.
constexpr std::array<ClassSpec, kExportedClasses> kClasses = {{{"send", kTransfer},
                                                               {"receive", kTransfer},
                                                               {"enter", {}},
                                                               {"leave", {}},
                                                               {"mark", {}},
                                                               {"block", {}},
                                                               {"collective_begin", kPart},
                                                               {"collective_end", kPart}}};

class Maker {
 public:
  Maker(bt_self_component* component, BoundFields bounds)
      : component_(component), bounds_(bounds), class_(bt_trace_class_create(component)) {}

  ExportedClasses Run(const std::string& host) {
    ExportedClasses made{.has_bounds = bounds_ == BoundFields::kThere};
    if (class_ == nullptr || !MakeStreamClass(made)) return {};
    for (size_t i = 0; i < kExportedClasses; ++i) {
      if (!MakeEventClass(made, i)) return {};
    }
    made.trace.reset(bt_trace_create(class_.get()));
    if (made.trace == nullptr ||
        bt_trace_set_environment_entry_string(made.trace.get(), "hostname", host.c_str()) !=
            BT_TRACE_SET_ENVIRONMENT_ENTRY_STATUS_OK) {
      return {};
    }
    return made;
  }

 private:
  bool MakeStreamClass(ExportedClasses& made) {
    const ClockClassPtr clock(bt_clock_class_create(component_));
    made.stream.reset(bt_stream_class_create(class_.get()));
    const FieldClassPtr context(bt_field_class_structure_create(class_.get()));
    if (clock == nullptr || made.stream == nullptr || context == nullptr) return false;
    if (bt_clock_class_set_name(clock.get(), "syncline") != BT_CLOCK_CLASS_SET_NAME_STATUS_OK ||
        bt_stream_class_set_default_clock_class(made.stream.get(), clock.get()) !=
            BT_STREAM_CLASS_SET_DEFAULT_CLOCK_CLASS_STATUS_OK) {
      return false;
    }
    bt_stream_class_set_supports_packets(made.stream.get(), BT_TRUE, BT_TRUE, BT_TRUE);
    return Append(context.get(), {"process", FieldType::kText}) &&
           bt_stream_class_set_packet_context_field_class(made.stream.get(), context.get()) ==
               BT_STREAM_CLASS_SET_FIELD_CLASS_STATUS_OK;
  }

  bool MakeEventClass(ExportedClasses& made, size_t number) {
    EventClassPtr& event = made.events[number];
    event.reset(bt_event_class_create(made.stream.get()));
    const FieldClassPtr payload(bt_field_class_structure_create(class_.get()));
    if (event == nullptr || payload == nullptr) return false;
    bool is_made = Append(payload.get(), {"recorded_ns", FieldType::kSigned});
    if (made.has_bounds) is_made &= Append(payload.get(), {"bound_ns", FieldType::kSigned});
    is_made &= Append(payload.get(), {"name", FieldType::kText});
    for (const FieldSpec& field : kClasses[number].fields) is_made &= Append(payload.get(), field);
    return is_made &&
           bt_event_class_set_name(event.get(), kClasses[number].name) ==
               BT_EVENT_CLASS_SET_NAME_STATUS_OK &&
           bt_event_class_set_payload_field_class(event.get(), payload.get()) ==
               BT_EVENT_CLASS_SET_FIELD_CLASS_STATUS_OK;
  }

  bool Append(bt_field_class* structure, const FieldSpec& field) {
    const FieldClassPtr member(
        field.type == FieldType::kSigned     ? bt_field_class_integer_signed_create(class_.get())
        : field.type == FieldType::kUnsigned ? bt_field_class_integer_unsigned_create(class_.get())
                                             : bt_field_class_string_create(class_.get()));
    return member != nullptr &&
           bt_field_class_structure_append_member(structure, field.name, member.get()) ==
               BT_FIELD_CLASS_STRUCTURE_APPEND_MEMBER_STATUS_OK;
  }

  bt_self_component* component_;
  BoundFields bounds_;
  TraceClassPtr class_;
};

}  // namespace

ExportedClasses MakeExportedClasses(bt_self_component* component, const std::string& host,
                                    BoundFields bounds) {
  return Maker(component, bounds).Run(host);
}

}  // namespace syncline::ctf_write
