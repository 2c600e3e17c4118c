#include "pipeline/write/write_traces.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "syncline/result.h"

#include "base/compression.h"
#include "base/parallel.h"
#include "base/replace_together.h"
#include "base/temporaries.h"
#include "base/try.h"
#include "pipeline/correct/process_retimer.h"
#include "pipeline/write/archive_retimer.h"
#include "pipeline/write/packet_comments.h"
#include "pipeline/write/shared_fit.h"
#include "pipeline/write/write_ctf.h"
#include "report/table.h"
#include "trace/kept_chrome.h"
#include "trace/kept_ctf.h"
#include "trace/kept_logs.h"
#include "trace/kept_spans.h"
#include "write/chrome/chrome_merger.h"
#include "write/chrome/chrome_rewriter.h"
#include "write/ctf_metadata/metadata_trace.h"
#include "write/logs/log_rewriter.h"
#include "write/pcap/capture_merger.h"
#include "write/pcap/capture_rewriter.h"
#include "write/spans/span_rewriter.h"
#include "write/text/text_rewriter.h"

namespace syncline {
namespace {

// Logs and files of spans are written again by what loading kept of them, unless they have changed
// since. Tested by: logs_command_test.cc, spans_command_test.cc.
Result<void> CheckUnchanged(const LoadedInput& input, bool has_changed) {
  if (!has_changed) return {};
  return Fail(ErrorCode::kUnreadable, "has changed while it was read", input.input.path);
}

// `retime` is called in the order of each host's events, for those that are moments of records.
// `add_field`: log_rewriter.h. Memory: one line.
Result<void> WriteLog(const LoadedInput& input, const std::string& add_field, OutputFile& output,
                      const RetimeEvent& retime) {
  const KeptLog& kept = LogOf(input);
  std::vector<LogEventNumbers> numbers(kept.hosts.begin(), kept.hosts.end());
  bool has_changed = false;
  const auto retime_record = [&](const LogLine& line) {
    GlobalTime written;
    has_changed = has_changed || line.host >= numbers.size();
    for (size_t i = 0; i < line.moment_count && !has_changed; ++i) {
      LogEventNumbers& of_host = numbers[line.host];
      if (of_host.HasEarliest()) of_host.Take();
      const uint64_t index = of_host.Take();
      has_changed = index >= kept.hosts[line.host].times.size();
      if (has_changed) break;
      const GlobalTime time = retime(ProcessId(line.host), index, line.moments[i].time);
      if (i == line.written_moment) written = time;
    }
    return written;
  };
  LogReaderOptions reading = kept.reading;
  if (!add_field.empty()) reading.fields.push_back(add_field);
  SYNCLINE_ASSIGN(auto reader,
                  LogReader::Open(input.input.path, *kept.sources, std::move(reading)));
  SYNCLINE_TRY(RewriteLog(reader, input.input.path,
                          {.sources = *kept.sources,
                           .precisions = kept.precisions,
                           .add_field = add_field,
                           .retime = retime_record},
                          ByteSink(output)));
  return CheckUnchanged(input, has_changed);
}

// `retime` is called for lanes one after the other, each in program order, then the file is copied.
// Memory: 8 bytes per time of the file.
Result<void> WriteSpans(const LoadedInput& input, OutputFile& output, const RetimeEvent& retime) {
  const KeptSpans& kept = SpansOf(input);
  std::vector<GlobalTime> corrected(kept.times);  // in the order of the file
  for (uint32_t i = 0; i < kept.lanes.size(); ++i) {
    for (size_t e = 0; e < kept.lanes[i].size(); ++e) {
      const KeptSpanEvent& event = kept.lanes[i][e];
      corrected[event.in_file] = retime(ProcessId(i), e, event.time);
    }
  }
  bool has_changed = false;
  SYNCLINE_TRY(RewriteSpans(input.input.path, output, [&](uint64_t number, LocalTime) {
    has_changed = has_changed || number >= corrected.size();
    return number < corrected.size() ? corrected[number] : GlobalTime{};
  }));
  return CheckUnchanged(input, has_changed);
}

// The processes of one input together.
class InputRetimer {
 public:
  InputRetimer(const LoadedTraces& loaded, const LoadedInput& input, const GroupEstimate& estimate,
               const Retiming& retiming, const Truth* truth) {
    for (size_t i = 0; i < input.processes.size(); ++i) {
      processes_.emplace_back(loaded, input, i, estimate, retiming, truth);
    }
  }
  InputRetimer(const InputRetimer&) = delete;
  InputRetimer& operator=(const InputRetimer&) = delete;

  GlobalTime operator()(ProcessId in_file, uint64_t index, LocalTime local) {
    GlobalTime written;
    processes_[in_file.index()].Retime(index, std::span(&local, 1), std::span(&written, 1),
                                       figures_);
    return written;
  }
  GlobalTime Plain(LocalTime local) const { return processes_.front().Plain(local); }

  const ProcessRetimer::Figures& figures() const { return figures_; }

 private:
  ProcessRetimer::Figures figures_;
  std::vector<ProcessRetimer> processes_;
};

class TraceWriter {
 public:
  TraceWriter(const LoadedTraces& loaded, const GroupEstimate& estimate, const Retiming& retiming,
              const OutputPlan& plan, Otf2Writing writing, const Truth* truth, Progress& progress)
      : loaded_(loaded),
        estimate_(estimate),
        retiming_(retiming),
        plan_(plan),
        writing_(writing),
        truth_(truth),
        progress_(progress) {}

  Result<WrittenTraces> Run() {
    progress_.Begin("writing corrected traces", 0);
    if (truth_ != nullptr) written_.figures.truth.emplace();
    by_input_.resize(loaded_.inputs.size());
    // By processes, which are started while there are no other threads.
    SYNCLINE_TRY(WriteCtf());
    const size_t jobs = loaded_.inputs.size() + (plan_.merged.empty() ? 0 : 1);
    ForEachParallel(jobs, [&](size_t job) { Work(job); });
    if (error_) return tl::unexpected(*error_);
    // In order of inputs, not of completion, so that sums are the same in every run.
    for (const ProcessRetimer::Figures& figures : by_input_) {
      written_.figures.intervals.Merge(figures.intervals);
      if (written_.figures.truth) written_.figures.truth->Merge(figures.error);
    }
    return std::move(written_);
  }

 private:
  // Unless another one has failed.
  void Work(size_t job) {
    auto done = progress_.CheckGoesOn();
    if (has_failed_) return;
    if (done) done = job < loaded_.inputs.size() ? WriteOne(job) : WriteMerged();
    if (done) return;
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = done.error();
    has_failed_ = true;
  }

  Result<void> WriteOne(size_t number) {
    const LoadedInput& input = loaded_.inputs[number];
    if (input.input.format == Format::kOtf2) return WriteArchive(number);
    if (input.input.format == Format::kCtf) {
      return plan_.clock_settings.empty() ? Result<void>() : WriteClockSettings(number);
    }
    SYNCLINE_ASSIGN(auto output, OutputFile::Create(plan_.traces[number], plan_.if_exists));
    SYNCLINE_ASSIGN(auto packing, MakePacking(input.input.compression));
    output.WriteThrough(std::move(packing));
    InputRetimer retimer(loaded_, input, estimate_, retiming_, truth_);
    SYNCLINE_TRY(Rewrite(input, output, retimer));
    SYNCLINE_TRY(output.Close());
    const std::lock_guard lock(mutex_);
    written_.files.push_back(std::move(output));
    by_input_[number] = retimer.figures();
    return {};
  }

  // Clock offsets give a reading one time: of a clock of the archive that was set back, and whose
  // correction knows that.
  std::optional<std::string> SetBackClock(const LoadedInput& input) const {
    for (const ProcessId process : input.processes) {
      const ClockId clock = loaded_.traces.processes[process.index()].clock;
      const bool is_set_back = !loaded_.epochs.FirstEvents(process).empty();
      if (is_set_back && !estimate_.clocks[clock.index()].later_epochs.empty()) {
        return loaded_.traces.clocks[clock.index()].name;
      }
    }
    return std::nullopt;
  }

  Result<void> WriteArchive(size_t number) {
    const LoadedInput& input = loaded_.inputs[number];
    std::optional<ArchiveRetimer> retimer;
    const auto set_back = writing_ == Otf2Writing::kMetadata ? SetBackClock(input) : std::nullopt;
    std::optional<TeamEvents> team;
    if (truth_ == nullptr && TeamKnowsTimes(loaded_, retiming_)) team.emplace(loaded_, retiming_);
    std::unique_ptr<SharedFits> fits;
    if (team && writing_ == Otf2Writing::kMetadata) {
      SYNCLINE_ASSIGN(fits, FitByTeam(loaded_, retiming_));
    }
    // The first attempt takes what others have done; if that is not it, another one goes without.
    const auto make_retimer = [&]() -> ArchiveRetimer& {
      const bool is_first = !retimer;
      return retimer.emplace(loaded_, input, estimate_, retiming_, truth_,
                             is_first ? fits.get() : nullptr);
    };
    SYNCLINE_ASSIGN(auto written, WriteOtf2(input, plan_.traces[number], plan_.if_exists,
                                            set_back ? Otf2Writing::kEvents : writing_,
                                            make_retimer, team ? &*team : nullptr));
    if (set_back) {
      written.fell_back = true;
      written.note =
          fmt::format("the clock {} was set back, so that its readings repeat", *set_back);
    }
    const bool is_by_team = team && team->intervals();
    const auto figures =
        is_by_team ? ProcessRetimer::Figures{*team->intervals(), {}} : retimer->figures();
    const std::lock_guard lock(mutex_);
    by_input_[number] = figures;
    written_.archives.push_back(std::move(written.finish));
    if (written.fell_back) {
      written_.diagnostics.Count("clock-offsets-insufficient", Severity::kInfo, 1, written.note);
    }
    if (written.shift_ns > 0) {
      written_.diagnostics.Count(
          "times-shifted", Severity::kInfo, 1,
          fmt::format("{} later: OTF2 has no times before 0",
                      FormatDuration(static_cast<int64_t>(written.shift_ns))));
    }
    return {};
  }

  // All CTF traces whose events are written.
  Result<void> WriteCtf() {
    std::vector<size_t> numbers;
    std::vector<CtfOutput> outputs;
    for (size_t i = 0; i < loaded_.inputs.size(); ++i) {
      const bool is_ctf = loaded_.inputs[i].input.format == Format::kCtf;
      if (!is_ctf || !plan_.clock_settings.empty()) continue;
      numbers.push_back(i);
      outputs.push_back({.input = &loaded_.inputs[i], .folder = plan_.traces[i]});
    }
    if (outputs.empty()) return {};
    SYNCLINE_ASSIGN(auto written, WriteCtfEvents(loaded_, estimate_, retiming_, truth_, outputs,
                                                 plan_.if_exists));
    for (size_t i = 0; i < numbers.size(); ++i) {
      CtfEvents& events = written[i];
      by_input_[numbers[i]] = events.figures;
      written_.folders.push_back(std::move(events.folder));
      written_.diagnostics.Merge(events.diagnostics);
    }
    return {};
  }

  // The data of a CTF trace stays; its times were kept.
  Result<void> WriteClockSettings(size_t number) {
    const LoadedInput& input = loaded_.inputs[number];
    SYNCLINE_ASSIGN(auto folder, ctf_metadata::WriteMetadataTrace(
                                     input.input.path, plan_.traces[number], plan_.if_exists,
                                     *plan_.clock_settings[number]));
    ProcessRetimer::Figures figures;
    std::vector<GlobalTime> corrected(TimeStore::kBlock);
    for (size_t i = 0; i < input.processes.size(); ++i) {
      ProcessRetimer retimer(loaded_, input, i, estimate_, retiming_, truth_);
      SYNCLINE_TRY(CtfTraceOf(input).streams[i].times.ForEach(
          [&](uint64_t first, std::span<const LocalTime> times) {
            retimer.Retime(first, times, std::span(corrected).first(times.size()), figures);
          }));
    }
    const std::lock_guard lock(mutex_);
    by_input_[number] = figures;
    written_.folders.push_back(std::move(folder));
    return {};
  }

  Result<void> Rewrite(const LoadedInput& input, OutputFile& output, InputRetimer& retimer) const {
    switch (input.input.format) {
      case Format::kText: return RewriteAsText(input, output, retimer);
      case Format::kLog: return WriteLog(input, plan_.add_field, output, std::ref(retimer));
      case Format::kSpans: return WriteSpans(input, output, std::ref(retimer));
      case Format::kChrome: return RewriteAsChrome(input, output, retimer);
      default: return RewriteAsCapture(input, output, retimer);
    }
  }

  static Result<void> RewriteAsText(const LoadedInput& input, OutputFile& output,
                                    InputRetimer& retimer) {
    SYNCLINE_ASSIGN(TextReader reader, TextReader::Open(input.input.path));
    return RewriteText(reader, ByteSink(output), std::ref(retimer));
  }

  static Result<void> RewriteAsCapture(const LoadedInput& input, OutputFile& output,
                                       InputRetimer& retimer) {
    SYNCLINE_ASSIGN(CaptureWalker capture, CaptureWalker::Open(input.input.path));
    return RewriteCapture(
        std::move(capture), ByteSink(output), [&](uint64_t index, LocalTime local) {
          return index == kNoPacket ? retimer.Plain(local) : retimer(ProcessId(0), index, local);
        });
  }

  static Result<ChromeReader> OpenChrome(const LoadedInput& input) {
    return ChromeReader::Open(input.input.path, {.base_ns = ChromeOf(input).base_ns});
  }

  ChromeTimes TimesOfChrome(const LoadedInput& input, InputRetimer& retimer) const {
    const auto clock_of = [&](ProcessId process) {
      return loaded_.traces.processes[process.index()].clock;
    };
    ChromeTimes times{.base_ns = ChromeOf(input).base_ns,
                      .decimals = ChromeOf(input).decimals,
                      .retime = [&retimer](uint32_t track, uint64_t index, LocalTime local) {
                        return retimer(ProcessId(track), index, local);
                      }};
    const std::vector<ProcessId>& processes = input.processes;
    const bool is_of_one_clock = std::ranges::all_of(processes, [&](ProcessId process) {
      return clock_of(process) == clock_of(processes.front());
    });
    if (!processes.empty() && is_of_one_clock) {
      times.plain = [&retimer](LocalTime local) { return std::optional(retimer.Plain(local)); };
    }
    return times;
  }

  Result<void> RewriteAsChrome(const LoadedInput& input, OutputFile& output,
                               InputRetimer& retimer) const {
    SYNCLINE_ASSIGN(ChromeReader reader, OpenChrome(input));
    return RewriteChrome(std::move(reader), TimesOfChrome(input, retimer), ByteSink(output));
  }

  std::string Describe(ClockId clock) const {
    const ClockEstimate& e = estimate_.clocks[clock.index()];
    const ClockId reference = estimate_.roots.front();
    if (reference == clock) return "reference clock of the corrected times";
    if (e.component > 0) {
      return fmt::format("no messages relate its times to those of clock {}",
                         loaded_.traces.clocks[reference.index()].name);
    }
    const auto worst = e.bound ? std::optional(e.bound->worst_ns) : std::nullopt;
    return fmt::format("times corrected to clock {}, ± {}",
                       loaded_.traces.clocks[reference.index()].name, FormatBound(worst));
  }

  Result<void> WriteMerged() {
    SYNCLINE_ASSIGN(auto output, CreateAsNamed(plan_.merged, plan_.if_exists));
    const bool is_chrome = loaded_.inputs.front().input.format == Format::kChrome;
    SYNCLINE_TRY(is_chrome ? MergeAsChrome(output) : MergeAsCapture(output));
    SYNCLINE_TRY(output.Close());
    const std::lock_guard lock(mutex_);
    written_.files.push_back(std::move(output));
    return {};
  }

  Result<void> MergeAsChrome(OutputFile& output) {
    std::vector<ChromeMergeInput> inputs;
    std::vector<std::unique_ptr<InputRetimer>> retimers;
    std::optional<int64_t> first_ns;
    int decimals = 0;
    for (const LoadedInput& input : loaded_.inputs) {
      retimers.push_back(
          std::make_unique<InputRetimer>(loaded_, input, estimate_, retiming_, nullptr));
      const KeptChrome& kept = ChromeOf(input);
      decimals = std::max(decimals, kept.decimals);
      for (const ProcessId process : input.processes) {
        const ClockId clock = loaded_.traces.processes[process.index()].clock;
        const int64_t ns = retiming_.Plain(process, 0, loaded_.spans[clock.index()].first).ns;
        first_ns = std::min(first_ns.value_or(ns), ns);
      }
      inputs.push_back({.open = [&input] { return OpenChrome(input); },
                        .name = input.input.name,
                        .process_names = kept.process_names,
                        .has_own_ids = kept.has_own_ids,
                        .times = TimesOfChrome(input, *retimers.back())});
    }
    constexpr int64_t kMillisecond = 1'000'000;
    const int64_t base_ns = first_ns.value_or(0) / kMillisecond * kMillisecond;
    return MergeChrome(inputs, base_ns, decimals, ByteSink(output));
  }

  Result<void> MergeAsCapture(OutputFile& output) {
    SYNCLINE_ASSIGN(const PacketComments comments,
                    PacketComments::Make(loaded_, estimate_, retiming_));
    std::vector<MergeInput> inputs;
    std::vector<std::unique_ptr<InputRetimer>> retimers;
    for (const LoadedInput& input : loaded_.inputs) {
      if (input.input.format != Format::kCapture) continue;
      const ClockId clock = loaded_.traces.processes[input.processes[0].index()].clock;
      retimers.push_back(
          std::make_unique<InputRetimer>(loaded_, input, estimate_, retiming_, nullptr));
      inputs.push_back({.path = input.input.path,
                        .name = input.input.name,
                        .description = Describe(clock),
                        .retime =
                            [retimer = retimers.back().get()](uint64_t index, LocalTime local) {
                              return (*retimer)(ProcessId(0), index, local);
                            },
                        .comment = [&comments, process = input.processes[0]](
                                       uint64_t packet) { return comments.Of(process, packet); }});
    }
    return MergeCaptures(inputs, output);
  }

  const LoadedTraces& loaded_;
  const GroupEstimate& estimate_;
  const Retiming& retiming_;
  const OutputPlan& plan_;
  Otf2Writing writing_;
  const Truth* truth_;
  Progress& progress_;
  std::atomic<bool> has_failed_ = false;
  std::mutex mutex_;  // guards written_, by_input_ and error_
  WrittenTraces written_;
  std::vector<ProcessRetimer::Figures> by_input_;
  std::optional<Error> error_;
};

}  // namespace

Result<WrittenTraces> WriteTraces(const LoadedTraces& loaded, const GroupEstimate& estimate,
                                  const Retiming& retiming, const OutputPlan& plan,
                                  Otf2Writing writing, const Truth* truth, Progress& progress) {
  return TraceWriter(loaded, estimate, retiming, plan, writing, truth, progress).Run();
}

Result<void> CommitAll(WrittenTraces& written) {
  const HeldTemporaries held = HoldTemporaries();
  std::vector<Replacement> changes;
  for (const auto& finish : written.archives) {
    SYNCLINE_ASSIGN(const std::vector<Replacement> of_archive, finish());
    changes.insert(changes.end(), of_archive.begin(), of_archive.end());
  }
  for (const OutputFolder& output : written.folders) changes.push_back(output.Finish());
  for (OutputFile& output : written.files) {
    SYNCLINE_ASSIGN(const std::optional<Replacement> change, output.Finish());
    if (change) changes.push_back(*change);
  }
  return ReplaceTogether(changes);
}

}  // namespace syncline
