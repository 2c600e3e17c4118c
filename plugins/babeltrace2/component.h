// The component filter.syncline.correct: its parameters and its ports.
//
// There is one output; another input appears whenever one is connected, as with Babeltrace's muxer,
// so that one component serves a muxed iterator as well as all streams of several sources.
// Ownership: belongs to libbabeltrace2, which calls it through the functions below.
// Tested by: correct_test.cc.
#pragma once

#include <string>

#include <babeltrace2/babeltrace.h>

#include "syncline/result.h"

#include "report/summary_file.h"
#include "stream_clock.h"

namespace syncline::babeltrace_plugin {

class CorrectComponent {
 public:
  // Errors: kUsage for parameters that are missing, unknown or of another kind; those of the
  // summary.
  static Result<CorrectComponent> Make(const bt_value* parameters);

  // The clock of a stream: the one that the parameters name, else the one called as the hostname of
  // the trace's environment, else as a folder in the trace's name. Errors: kUsage where the summary
  // has none of these.
  Result<StreamClock> ClockOf(const bt_stream* stream) const;

  const SummaryFile& summary() const { return summary_; }

 private:
  Result<std::string> NameOfClock(const bt_trace* trace) const;
  SummaryFile summary_;
  std::string clock_;  // empty: by the trace
};

// On standard error, where the component's log level lets warnings through.
void Warn(bt_self_component* self, const std::string& text);

bt_component_class_initialize_method_status BeginComponent(
    bt_self_component_filter* self, bt_self_component_filter_configuration* configuration,
    const bt_value* parameters, void* data);
void EndComponent(bt_self_component_filter* self);
bt_component_class_port_connected_method_status InputConnected(bt_self_component_filter* self,
                                                               bt_self_component_port_input* port,
                                                               const bt_port_output* other);

}  // namespace syncline::babeltrace_plugin
