#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "base/duration_text.h"
#include "base/parse_number.h"
#include "base/try.h"
#include "cli/common_options.h"
#include "cli/filter/filter_command.h"
#include "cli/options.h"
#include "cli/parsed_option.h"
#include "cli/report/report_command.h"

namespace syncline {
namespace {

constexpr const char* kFilterFooter =
    R"(Reads and writes Syncline text as a stream: what the logical clock has decided goes out while
the input still comes. Inputs that satisfy the clock condition come out unchanged. What was found
and done is printed to standard error when OUT is -, else to standard output.
  syncline filter trace.txt corrected.txt
  syncline filter archive/traces.otf2 FOLDER    (OTF2: read and written as a whole)
  recorder | syncline filter --online --max-wait 200 --quiet | viewer

Exit codes: 0 done, no message is received before sent; 1 wrong usage; 2 input unreadable; 3 done,
with a stated weakness (data lost in the input, messages of cycles set aside, or given up and
broken).)";

// A time of up to 2^50 ns; a number alone is in units of `unit_ns`.
auto SpanIn(double unit_ns, const char* expected) {
  return [=](std::string_view text) -> Result<int64_t> {
    const auto number = ParseNumber<double>(text);
    const double ns = number ? *number * unit_ns : -1;
    if (ns >= 0 && ns <= 0x1p50) return std::llround(ns);
    const auto duration = ParseDuration(text);
    if (!number && duration && *duration <= int64_t{1} << 50) return *duration;
    return Fail(ErrorCode::kUsage, fmt::format("expected {}, not \"{}\"", expected, text));
  };
}

// Negative: unlimited.
Result<int64_t> ParseHorizon(std::string_view text) {
  return text == "inf"
             ? -1
             : SpanIn(1e9, "seconds, or a time like 500ms, from 0 to 2^50 ns, or inf")(text);
}

Result<int64_t> ParseStart(std::string_view text) {
  if (const auto ns = ParseNumber<int64_t>(text)) return *ns;
  return Fail(ErrorCode::kUsage, fmt::format("expected whole nanoseconds, not \"{}\"", text));
}

Result<void> CheckCombination(const FilterOptions& o) {
  const auto refuse = [](const char* why) { return Fail(ErrorCode::kUsage, why); };
  if (o.output == "-" && o.json == "-") {
    return refuse("--json - needs OUT to be a file: standard output takes the trace");
  }
  if (o.max_wait_ns && !o.online) return refuse("--max-wait belongs to --online");
  if (o.online && o.reverse) return refuse("--reverse needs the end first: not with --online");
  if (o.min_delay == "auto" && o.input == "-") {
    return refuse(
        "--min-delay auto reads the input twice, so it needs a file; give NS or FILE for a pipe");
  }
  return {};
}

}  // namespace

Result<TextFilterOptions> ParseFilterOptions(const FilterOptions& o) {
  SYNCLINE_TRY(CheckCombination(o));
  constexpr int64_t kDefaultMaxWaitNs = 1'000'000'000;
  SYNCLINE_ASSIGN(const auto logical, WithClock(o.logical, o.clock));
  TextFilterOptions options{.logical = *logical, .start_ns = o.start_ns};
  options.logical.keeps_gamma_over_time = !o.report.empty();
  if (o.online) options.logical.max_wait_ns = o.max_wait_ns.value_or(kDefaultMaxWaitNs);
  return options;
}

void DeclareFilterOptions(CLI::App& command, FilterOptions& o) {
  const auto add = [&command](const char* name, std::string& value, const char* type,
                              const char* help) {
    return AddOption(command, name, value, type, help);
  };
  add("IN", o.input, "", "Trace in Syncline text, - is standard input; or an OTF2 archive")
      ->capture_default_str();
  add("OUT", o.output, "",
      "The trace with corrected times, - is standard output; for an archive a folder")
      ->capture_default_str();
  add("--min-delay", o.min_delay, "NS|auto|FILE",
      "Least travel time of messages: NS for all; a FILE with lines FROM TO NS [NS_PER_BYTE] per "
      "direction between clocks; auto: 0.8 of half the least round trip of each pair of clocks, "
      "from a file that is read twice. 1: the order alone")
      ->capture_default_str();
  add("--logical", o.logical, "", "simple: Algorithm 2; controlled: 3, which keeps intervals")
      ->check(CLI::IsMember({"simple", "controlled"}))
      ->capture_default_str();
  AddChoice<OutputOrder, OutputOrder>(
      command, "--order", o.clock.order,
      {{"global", OutputOrder::kGlobal}, {"process", OutputOrder::kPerProcess}},
      "global: events leave in order of corrected time; process: in that of each process, sooner")
      ->type_name("")
      ->default_str("global");
  AddParsed(command, "--horizon", o.clock.max_horizon_ns, ParseHorizon, "DURATION",
            "How far a process may go on before messages of this age are no longer waited for; "
            "must exceed the clocks' differences. Limits memory; like 500ms, a number alone counts "
            "seconds; inf: none")
      ->default_str("10");
  command.add_flag("--online", o.online,
                   "Let no event wait longer than --max-wait, also if its messages may still come");
  AddParsed(command, "--max-wait", o.max_wait_ns,
            SpanIn(1e6, "milliseconds, or a time like 2s, from 0 to 2^50 ns"), "DURATION",
            "With --online: the longest wait, like 2s; a number alone counts milliseconds "
            "(default: 1000)");
  AddParsed(
      command, "--start", o.start_ns, ParseStart, "TIME",
      "Leave out earlier events (with --reverse: later ones); nanoseconds. Output lines end with "
      "the recorded time as a comment");
  command.add_flag("--reverse", o.reverse,
                   "Scroll backwards from --start or the end: the last event comes first. Keeps "
                   "that part of the trace in memory");
  add("--clock-per", o.clock_per, "", "OTF2: whose timestamps are one clock's, as with sync")
      ->check(CLI::IsMember({"process", "node", "location"}))
      ->capture_default_str();
  add("--write", o.write, "",
      "OTF2: metadata (default): clock offsets, event files unchanged; events: rewritten")
      ->check(CLI::IsMember({"metadata", "events"}));
  DeclareLogicalOptions(command, o.clock);
  DeclareReportOption(command, o.report,
                      "Also write a page that shows what was found and done, and when. One file, "
                      "for any browser");
  DeclareCommonOptions(command, o, "Write what was found and done as JSON; - for standard output");
  DeclareVerbose(command, o);
  FinishOptions(command);
  command.footer(kFilterFooter);
}

}  // namespace syncline
