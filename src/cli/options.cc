#include "cli/options.h"

#include "cli/common_options.h"
#include "cli/report/report_command.h"

namespace syncline {
namespace {

// A former name is let through to be refused with that of its successor.
CLI::Validator GroupNames() {
  const CLI::IsMember names(
      {"drift-bounded", "joint", "tree-error", "tree-hops", "closure", "piecewise", "broadcast"});
  const auto check = [names](std::string& name) {
    return name == kFormerGroup ? std::string() : names(name);
  };
  return {check, names.get_description()};
}

}  // namespace

void FinishOptions(CLI::App& command) {
  for (CLI::Option* option : command.get_options()) {
    // A configuration file's options stand before those of the command line.
    const bool may_repeat = option->get_positional() || option->get_expected_max() > 1;
    if (!may_repeat) option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }
}

void DeclareClockOptions(CLI::App& command, EstimateOptions& o) {
  AddOption(command, "--group", o.group,
            "How all clocks are brought together. drift-bounded (default): every clock's rate "
            "within --max-drift-ppm, nothing else assumed: the tightest bounds there are, "
            "whatever clocks do; joint: straight lines, all at once; tree-error: shortest "
            "paths over pairs, weighted by the width of their bounds; tree-hops: over as few "
            "pairs as can be; piecewise: corrections that bend between intervals of time; "
            "closure: a line through constant offsets per interval; broadcast: from the "
            "moments at which broadcasts were received")
      ->check(GroupNames());
  AddOption(command, "--method", o.method,
            "The line of a pair of clocks, for groups that go by pairs; given alone it means "
            "--group tree-error. widest (default): middle of the widest corridor between the "
            "messages of both directions; bisector: between the two extreme lines; "
            "regression: least squares over all messages; robust: over the half that agrees "
            "best; two-point: through two quick exchanges far apart; minmax: through the "
            "middles of what intervals leave free. The last four can leave messages inverted")
      ->check(CLI::IsMember({"widest", "bisector", "regression", "robust", "two-point", "minmax"}));
  AddOption(command, "--max-drift-ppm", o.max_drift_ppm, "D",
            "Largest rate difference of a clock and the reference taken for possible, in ppm "
            "(drift-bounded: at any moment; others: of two clocks, constant); what you know of "
            "the clocks, never what fits. Where daemons slew clocks: 600. At most 500000; inf: any "
            "rate (drift-bounded: that is not less than half of the reference's)")
      ->capture_default_str();
  AddOption(command, "--max-slew-ppm", o.max_slew_ppm, "S",
            "drift-bounded: how fast a clock may be found to run where messages contradict "
            "--max-drift-ppm, in ppm, at least that; inf: at any rate that is not less than half "
            "(default: 1000, or "
            "--max-drift-ppm where that is more)");
  AddOption(command, "--max-wander-ppm", o.max_wander_ppm, "W",
            "drift-bounded: how far a clock's rate may stray from its mean from its first to its "
            "last message, in ppm; narrows the bounds, which then hold only if it is true; inf: as "
            "far as --max-drift-ppm lets it")
      ->default_str("inf");
  AddOption(command, "--assume", o.assume,
            "drift-bounded: what is assumed of clocks. bounded-drift: that their rates stay "
            "within the limits; constant-rate: that they do not change, so that straight "
            "lines are the correction where they fit")
      ->check(CLI::IsMember({"bounded-drift", "constant-rate"}))
      ->default_str("bounded-drift");
  AddOption(command, "--confidence", o.confidence, "LEVEL",
            "regression: the level of its confidence intervals, between 0 and 1")
      ->default_str("0.95");
  AddOption(
      command, "--min-delay", o.min_delay, "DURATION|auto|FILE",
      "Least travel time of messages: one for all, like 20us (a number alone counts "
      "nanoseconds); a FILE with lines FROM TO DURATION [NS_PER_BYTE] per direction; or auto: "
      "0.9 of half the smallest round trip of each pair, which assumes about symmetric paths. "
      "Narrows the bounds, which then hold only if it is true")
      ->capture_default_str();
  AddOption(command, "--max-suspects", o.max_suspects, "SHARE",
            "drift-bounded, joint: where messages contradict the others, take a few for wrongly "
            "matched and leave them out, up to this share of all messages; 0: none. Where more do, "
            "no bound holds")
      ->default_str("0.005");
  command.add_option("--window", o.window)->group("");  // not shown
  AddOption(command, "--reference", o.reference, "NAME",
            "The clock whose time all traces get (default: the one with the least bounds)");
}

void DeclareEstimateOptions(CLI::App& command, EstimateOptions& o) {
  AddOption(command, "INPUT", o.inputs,
            "Traces: pcap, pcapng, OTF2 (the .otf2 file), CTF (its folder), spans of "
            "OpenTelemetry or Jaeger, Chrome JSON (PyTorch's profiles), logs (with --rules), or "
            "Syncline text; a file, a folder of traces, or NAME=PATH to name its clock. "
            "Several traces of one host: the same NAME")
      ->required();
  DeclareClockOptions(command, o);
  AddOption(command, "--bounds", o.bounds, "N",
            "List each clock's bounds at N readings in the summary, evenly over its trace; "
            "joint seeks the tightest there")
      ->check(CLI::Range(0, 100'000));
  AddOption(command, "--clock-per", o.clock_per,
            "Whose timestamps are one clock's. OTF2: process: of a location group (default); node: "
            "of a host; location: of each location. Chrome JSON: process: of a pid; else of a file")
      ->check(CLI::IsMember({"process", "node", "location"}));
  AddOption(command, "--clock-by", o.clock_by, "ATTRIBUTE",
            "Spans: the attribute of resources that tells machines apart (default: "
            "k8s.node.name, host.id, host.name, else the service's)");
  DeclareRuleOptions(command, o);
  DeclareCommonOptions(command, o, "Write the summary as JSON; - for standard output");
  command.add_flag("--accept-weakness", o.accepts_weakness,
                   "End with 0, not 3, where all that is wrong is a weakness that is stated");
}

void DeclareSyncOptions(CLI::App& command, SyncOptions& o) {
  DeclareEstimateOptions(command, o.estimate);
  AddOption(command, "-o,--output", o.output_folder, "DIR",
            "Folder for the corrected traces (same file names) and syncline.json")
      ->required();
  AddOption(command, "--logical", o.logical,
            "Logical clock for contradictions that remain. none: leave and report them; "
            "simple: move events forward; controlled: keep intervals as they were measured")
      ->check(CLI::IsMember({"none", "simple", "controlled"}))
      ->capture_default_str();
  AddOption(command, "--write", o.write,
            "How corrections are stored. events: every timestamp rewritten; metadata (OTF2 "
            "and CTF only, their default): event files unchanged, clock offsets in the "
            "definitions, clock blocks in CTF's metadata, where these can say it")
      ->check(CLI::IsMember({"events", "metadata"}));
  AddOption(command, "--merge", o.merge, "FILE",
            "Also write all captures into one pcapng file, one interface per host, in order of "
            "corrected time; or all Chrome JSON into one file, with pids of its own");
  AddOption(command, "--add-field", o.add_field, "NAME",
            "Logs of JSON, CSV or TSV: leave times as they are, and write the corrected ones "
            "beside them, as a field of this name");
  AddOption(command, "--truth", o.truth, "FILE",
            "JSON file with the true clocks: report the true error");
  DeclareReportOptions(command, o.report, o.report_window);
  DeclareVerbose(command, o.estimate);
  DeclareLogicalOptions(command, o.clock);
  FinishOptions(command);
}

void DeclareCheckOptions(CLI::App& command, EstimateOptions& options) {
  DeclareEstimateOptions(command, options);
  DeclareVerbose(command, options);
  FinishOptions(command);
}

}  // namespace syncline
