#include "write/chrome/chrome_merger.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/try.h"
#include "base/utf8.h"
#include "write/json_text.h"

namespace syncline {
namespace {

class ChromeMerger {
 public:
  ChromeMerger(int64_t base_ns, int decimals, ByteSink output)
      : base_ns_(base_ns), decimals_(decimals), output_(std::move(output)) {}

  Result<void> Run(std::span<const ChromeMergeInput> inputs) {
    SYNCLINE_TRY(output_.Append(fmt::format(
        "{{\"displayTimeUnit\":\"ns\",\"baseTimeNanoseconds\":{},\"traceEvents\":[", base_ns_)));
    for (size_t i = 0; i < inputs.size(); ++i) SYNCLINE_TRY(Add(inputs[i], i));
    SYNCLINE_TRY(output_.Append("\n]}\n"));
    return output_.Flush();
  }

 private:
  Result<void> Add(const ChromeMergeInput& input, size_t number) {
    SYNCLINE_ASSIGN(ChromeReader reader, input.open());
    ChromeTimes times = input.times;
    times.base_ns = base_ns_;
    times.decimals = decimals_;
    std::map<std::string, uint64_t, std::less<>> pids;
    while (const ChromeEvent* event = reader.Next()) {
      if (event->pid.is_there() && !pids.contains(event->pid.text)) {
        pids.emplace(event->pid.text, ++last_pid_);
        SYNCLINE_TRY(NameProcess(input, std::string(event->pid.text)));
      }
      if (event->phase == 'M' && event->name.text == "process_name") continue;
      std::vector<ChromeEdit> edits = TimeEdits(*event, times);
      if (event->pid.is_there()) {
        Replace(event->pid, fmt::format("{}", pids.find(event->pid.text)->second), edits);
      }
      if (input.has_own_ids) {
        for (const ChromeToken* id : {&event->id, &event->bind_id}) {
          if (!id->is_there()) continue;
          std::string own;
          AppendJsonString(fmt::format("{}:{}", number, id->text), own);
          Replace(*id, std::move(own), edits);
        }
      }
      std::ranges::sort(edits, {}, &ChromeEdit::offset);
      SYNCLINE_TRY(output_.Append(Separator()));
      SYNCLINE_TRY(AppendEdited(reader.EventText(), event->offset, edits, output_));
    }
    if (reader.error()) return tl::unexpected(*reader.error());
    return {};
  }

  std::string_view Separator() { return std::exchange(has_events_, true) ? ",\n" : "\n"; }

  // With its quotes, if it has any.
  static void Replace(const ChromeToken& token, std::string text, std::vector<ChromeEdit>& edits) {
    const uint64_t quote = token.is_string ? 1 : 0;
    edits.push_back({token.offset - quote, token.size + 2 * quote, std::move(text)});
  }

  Result<void> NameProcess(const ChromeMergeInput& input, const std::string& pid) {
    const auto known = input.process_names.find(pid);
    const bool is_named = known != input.process_names.end() && !known->second.empty();
    const std::string name = fmt::format("{}: {} {}", input.name,
                                         is_named ? known->second : "process", PrintableName(pid));
    std::string text = fmt::format(
        "{}{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{},\"tid\":0,\"args\":{{\"name\":",
        Separator(), last_pid_);
    AppendJsonString(name, text);
    text += "}}";
    return output_.Append(text);
  }

  int64_t base_ns_;
  int decimals_;
  ByteSink output_;
  uint64_t last_pid_ = 0;
  bool has_events_ = false;
};

}  // namespace

Result<void> MergeChrome(std::span<const ChromeMergeInput> inputs, int64_t base_ns, int decimals,
                         ByteSink output) {
  return ChromeMerger(base_ns, decimals, std::move(output)).Run(inputs);
}

}  // namespace syncline
