#include "component.h"

#include <cstdio>
#include <filesystem>
#include <new>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/try.h"

namespace syncline::babeltrace_plugin {
namespace {

// Every entry has to be a string of a known name.
struct Parameters {
  std::string summary;
  std::string clock;
  std::string wrong;  // what, if anything
};

bt_value_map_foreach_entry_const_func_status TakeParameter(const char* name, const bt_value* value,
                                                           void* data) {
  auto& parameters = *static_cast<Parameters*>(data);
  const std::string_view key = name;
  if (key != "summary" && key != "clock") {
    parameters.wrong =
        fmt::format("there is no parameter \"{}\"; known are \"summary\" and \"clock\"", key);
  } else if (!bt_value_is_string(value) || *bt_value_string_get(value) == '\0') {
    parameters.wrong = fmt::format("parameter \"{}\" is not a text", key);
  } else {
    (key == "summary" ? parameters.summary : parameters.clock) = bt_value_string_get(value);
  }
  return parameters.wrong.empty() ? BT_VALUE_MAP_FOREACH_ENTRY_CONST_FUNC_STATUS_OK
                                  : BT_VALUE_MAP_FOREACH_ENTRY_CONST_FUNC_STATUS_INTERRUPT;
}

std::string Hostname(const bt_trace* trace) {
  const bt_value* value = bt_trace_borrow_environment_entry_value_by_name_const(trace, "hostname");
  if (value == nullptr || !bt_value_is_string(value)) return "";
  return bt_value_string_get(value);
}

CtfClock Describe(const bt_clock_class* clock) {
  CtfClock described;
  const char* name = bt_clock_class_get_name(clock);
  described.name = name != nullptr ? name : "";
  described.frequency = bt_clock_class_get_frequency(clock);
  bt_clock_class_get_offset(clock, &described.offset_s, &described.offset_cycles);
  return described;
}

std::string ClockNames(const SummaryFile& summary) {
  std::vector<std::string> names;
  for (const auto& [name, correction] : summary.corrections) names.push_back(name);
  return fmt::format("{}", fmt::join(names, ", "));
}

using AddStatus = bt_self_component_add_port_status;

AddStatus AddInput(bt_self_component_filter* self, uint64_t number) {
  return bt_self_component_filter_add_input_port(self, fmt::format("in{}", number).c_str(), nullptr,
                                                 nullptr);
}

}  // namespace

Result<CorrectComponent> CorrectComponent::Make(const bt_value* parameters) {
  Parameters taken;
  bt_value_map_foreach_entry_const(parameters, TakeParameter, &taken);
  if (!taken.wrong.empty()) return Fail(ErrorCode::kUsage, taken.wrong);
  if (taken.summary.empty()) {
    return Fail(ErrorCode::kUsage,
                "parameter \"summary\" is missing: the file syncline.json of `syncline sync`");
  }
  SYNCLINE_ASSIGN(auto summary, ReadSummaryFile(taken.summary));
  if (!summary.later_epochs.empty()) {
    return Fail(
        ErrorCode::kUsage,
        fmt::format("says that the clock {} was set back, so that its readings repeat, which "
                    "this component cannot tell apart; `syncline sync --write events` "
                    "writes such traces corrected",
                    summary.later_epochs.begin()->first),
        summary.path);
  }
  if (!taken.clock.empty() && !summary.corrections.contains(taken.clock)) {
    return Fail(ErrorCode::kUsage,
                fmt::format("has no clock {}, but {}", taken.clock, ClockNames(summary)),
                summary.path);
  }
  CorrectComponent component;
  component.summary_ = std::move(summary);
  component.clock_ = taken.clock;
  return component;
}

Result<std::string> CorrectComponent::NameOfClock(const bt_trace* trace) const {
  if (!clock_.empty()) return clock_;
  const std::string hostname = Hostname(trace);
  if (summary_.corrections.contains(hostname)) return hostname;
  const char* trace_name = bt_trace_get_name(trace);
  const std::filesystem::path folders = trace_name != nullptr ? trace_name : "";
  for (const std::filesystem::path& folder : folders) {
    if (summary_.corrections.contains(folder.string())) return folder.string();
  }
  return Fail(ErrorCode::kUsage,
              fmt::format("has no clock for the trace \"{}\" of host \"{}\", but {}; say which it "
                          "is with the parameter clock=\"NAME\"",
                          folders.string(), hostname, ClockNames(summary_)),
              summary_.path);
}

Result<StreamClock> CorrectComponent::ClockOf(const bt_stream* stream) const {
  const bt_trace* trace = bt_stream_borrow_trace_const(stream);
  SYNCLINE_ASSIGN(auto name, NameOfClock(trace));
  const bt_clock_class* clock =
      bt_stream_class_borrow_default_clock_class_const(bt_stream_borrow_class_const(stream));
  return StreamClock::Make(Describe(clock), summary_.corrections.at(name), name);
}

void Warn(bt_self_component* self, const std::string& text) {
  const bt_component* component = bt_self_component_as_component(self);
  if (bt_component_get_logging_level(component) > BT_LOGGING_LEVEL_WARNING) return;
  fmt::print(stderr, "WARNING: {} (filter.syncline.correct): {}\n",
             bt_component_get_name(component), text);
}

bt_component_class_initialize_method_status BeginComponent(
    bt_self_component_filter* self, bt_self_component_filter_configuration* /*configuration*/,
    const bt_value* parameters, void* /*data*/) {
  bt_self_component* component = bt_self_component_filter_as_self_component(self);
  try {
    auto made = CorrectComponent::Make(parameters);
    if (!made) {
      BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_COMPONENT(component, "%s",
                                                          made.error().ToString().c_str());
      return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
    }
    if (const uint64_t moved = made->summary().events_moved; moved > 0) {
      Warn(component, fmt::format("the summary's logical clock moved {} events; here corrections "
                                  "alone are applied, so that some messages stay inverted",
                                  moved));
    }
    AddStatus status = AddInput(self, 0);
    if (status == BT_SELF_COMPONENT_ADD_PORT_STATUS_OK) {
      status = bt_self_component_filter_add_output_port(self, "out", nullptr, nullptr);
    }
    if (status == BT_SELF_COMPONENT_ADD_PORT_STATUS_OK) {
      bt_self_component_set_data(component, new CorrectComponent(std::move(*made)));
    }
    return static_cast<bt_component_class_initialize_method_status>(status);
  } catch (const std::bad_alloc&) {
    return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
  }
}

void EndComponent(bt_self_component_filter* self) {
  delete static_cast<CorrectComponent*>(
      bt_self_component_get_data(bt_self_component_filter_as_self_component(self)));
}

bt_component_class_port_connected_method_status InputConnected(
    bt_self_component_filter* self, bt_self_component_port_input* /*port*/,
    const bt_port_output* /*other*/) {
  try {
    // Only the last input is ever free.
    const uint64_t inputs = bt_component_filter_get_input_port_count(
        bt_self_component_filter_as_component_filter(self));
    return static_cast<bt_component_class_port_connected_method_status>(AddInput(self, inputs));
  } catch (const std::bad_alloc&) {
    return BT_COMPONENT_CLASS_PORT_CONNECTED_METHOD_STATUS_MEMORY_ERROR;
  }
}

}  // namespace syncline::babeltrace_plugin
