#include "write/ctf/trace_writer.h"

#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

#include <babeltrace2/babeltrace.h>
#include <fmt/format.h>

#include "base/file.h"
#include "base/ticks.h"
#include "base/try.h"
#include "read/ctf/library.h"
#include "write/ctf/clock_text.h"
#include "write/ctf/retime_filter.h"
#include "write/ctf/sink.h"

namespace syncline {
namespace {

using namespace ctf_write;  // NOLINT(google-build-using-namespace): the parts of this writer
namespace fs = std::filesystem;

constexpr bt_logging_level kQuiet = BT_LOGGING_LEVEL_NONE;

// source → filter → sink, for one attempt.
class Conversion {
 public:
  Conversion(const std::string& folder, const std::string& new_folder, RetimeJob& job)
      : folder_(folder), new_folder_(new_folder), job_(job) {}
  Conversion(const Conversion&) = delete;
  Conversion& operator=(const Conversion&) = delete;
  ~Conversion() { Close(); }

  Result<void> Run() {
    if (auto built = Build(); !built || job_.streams == 0) return built;
    const bt_graph_run_status status = bt_graph_run(graph_.get());
    if (status != BT_GRAPH_RUN_STATUS_OK) {
      return Failure(ErrorCode::kMalformed, "cannot be written again");
    }
    // The sink writes the metadata last.
    Close();
    return {};
  }

 private:
  Result<void> Build() {
    SYNCLINE_ASSIGN(const auto plugin, CtfPlugin());
    graph_.reset(bt_graph_create(0));
    if (graph_ == nullptr || !AddSource(*plugin)) {
      return Failure(ErrorCode::kMalformed, "cannot be read");
    }
    job_.streams = bt_component_source_get_output_port_count(source_);
    if (job_.streams == 0 || (AddSink(*plugin) && AddFilter() && Connect())) return {};
    return Failure(ErrorCode::kUnreadable, "cannot be written again");
  }

  void Close() {
    graph_.reset();
    job_.trace.reset();
  }

  tl::unexpected<Error> Failure(ErrorCode code, std::string_view what) const {
    return Fail(code, fmt::format("{}: {}", what, TakeCtfError()), folder_);
  }

  bool AddSource(const bt_plugin& plugin) {
    const ValuePtr parameters = InputParameters(folder_);
    const bt_component_class_source* sources =
        bt_plugin_borrow_source_component_class_by_name_const(&plugin, "fs");
    return parameters != nullptr && sources != nullptr &&
           bt_graph_add_source_component(graph_.get(), sources, "source", parameters.get(), kQuiet,
                                         &source_) == BT_GRAPH_ADD_COMPONENT_STATUS_OK;
  }

  bool AddSink(const bt_plugin& plugin) {
    sink_ = AddCtfSink(graph_.get(), plugin, new_folder_);
    return sink_ != nullptr;
  }

  bool AddFilter() {
    const std::unique_ptr<const bt_component_class_filter,
                          PutRef<bt_component_class_filter_put_ref>>
        filters(MakeRetimeFilterClass());
    return filters != nullptr && bt_graph_add_filter_component_with_initialize_method_data(
                                     graph_.get(), filters.get(), "retime", nullptr, &job_, kQuiet,
                                     &filter_) == BT_GRAPH_ADD_COMPONENT_STATUS_OK;
  }

  bool Connect() {
    const auto connect = [&](const bt_port_output* from, const bt_port_input* to) {
      return bt_graph_connect_ports(graph_.get(), from, to, nullptr) ==
             BT_GRAPH_CONNECT_PORTS_STATUS_OK;
    };
    for (uint64_t i = 0; i < job_.streams; ++i) {
      if (!connect(bt_component_source_borrow_output_port_by_index_const(source_, i),
                   bt_component_filter_borrow_input_port_by_index_const(filter_, i))) {
        return false;
      }
    }
    return connect(bt_component_filter_borrow_output_port_by_index_const(filter_, 0),
                   bt_component_sink_borrow_input_port_by_index_const(sink_, 0));
  }

  const std::string& folder_;
  const std::string& new_folder_;
  RetimeJob& job_;
  GraphPtr graph_;
  const bt_component_source* source_ = nullptr;  // the graph's, as the others
  const bt_component_filter* filter_ = nullptr;
  const bt_component_sink* sink_ = nullptr;
};

Result<void> ReplaceText(const std::string& path, const std::string& text) {
  SYNCLINE_ASSIGN(auto file, OutputFile::Create(path, IfExists::kReplace));
  SYNCLINE_TRY(file.Write(text));
  return file.Commit();
}

// After the sink: its metadata, with clocks that count nanoseconds. A trace of no streams is its
// metadata alone.
Result<void> FinishMetadata(const std::string& folder, const std::string& new_folder,
                            const RetimeJob& job) {
  std::error_code error;
  if (job.streams == 0) fs::create_directories(new_folder, error);
  const std::string source = (job.streams == 0 ? folder : new_folder) + "/metadata";
  SYNCLINE_ASSIGN(auto text, ReadWholeFile(source));
  if (job.streams == 0) return ReplaceText(new_folder + "/metadata", text);
  auto changed = CountNanoseconds(text, job.earlier_ns);
  if (!changed) return tl::unexpected(changed.error());
  return *changed == text ? Result<void>() : ReplaceText(source, *changed);
}

// What the origins of clocks have to be earlier by, in whole seconds.
int64_t WholeSeconds(int64_t ns) {
  return Saturate(CeilDiv(ns, kNsPerSecond) * static_cast<Int128>(kNsPerSecond));
}

// One attempt: the whole trace in the folder `place`, which the sink makes.
Result<StreamFigures> WriteTo(const std::string& place, const std::string& folder,
                              CtfRetimer& retimer, int64_t earlier_ns,
                              const std::function<void()>& go_on) {
  std::error_code error;
  fs::remove_all(place, error);
  RetimeJob job{.retimer = &retimer, .earlier_ns = earlier_ns, .go_on = go_on};
  SYNCLINE_TRY(Conversion(folder, place, job).Run());
  SYNCLINE_TRY(FinishMetadata(folder, place, job));
  return job.figures;
}

}  // namespace

Result<WrittenCtf> WriteCtfTrace(const std::string& folder, const std::string& place,
                                 const std::function<CtfRetimer&()>& make_retimer,
                                 const std::function<void()>& go_on) {
  auto figures = WriteTo(place, folder, make_retimer(), 0, go_on);
  if (figures && figures->before_origin_ns > 0) {
    figures =
        WriteTo(place, folder, make_retimer(), WholeSeconds(figures->before_origin_ns), go_on);
  }
  if (!figures) return tl::unexpected(figures.error());
  return WrittenCtf{.events = figures->events,
                    .raised = figures->raised,
                    .largest_raise_ns = figures->largest_raise_ns};
}

}  // namespace syncline
