#include <CLI/CLI.hpp>

#include "cli/common_options.h"
#include "cli/convert/convert_command.h"
#include "cli/convert/convert_targets.h"

namespace syncline {
namespace {

// What says how times are estimated, where `instead` tells where they come from.
void ExcludeEstimation(CLI::App& command, CLI::Option& instead) {
  CLI::App estimation;
  estimation.set_help_flag();
  EstimateOptions clocks;
  LogicalOptions logical;
  DeclareClockOptions(estimation, clocks);
  DeclareLogicalOptions(estimation, logical);
  for (const char* name : {"--bounds", "--logical"}) instead.excludes(command.get_option(name));
  for (const CLI::Option* option : estimation.get_options()) {
    // Hidden ones have no name.
    if (option->get_name().empty()) continue;
    instead.excludes(command.get_option(option->get_name()));
  }
}

}  // namespace

void DeclareConvertOptions(CLI::App& command, ConvertOptions& o) {
  DeclareEstimateOptions(command, o.estimate);
  AddOption(command, "--to", o.to,
            "What to write. chrome: JSON (Trace Event Format) for Perfetto's viewer and others, "
            "with an arrow for each message; perfetto: the same as Perfetto's own format, smaller; "
            "perfetto-bundle: Chrome JSON files as they are, in an archive that tells Perfetto how "
            "far their clocks are apart; shiviz: a log with vector clocks; csv: a table of all "
            "events; text: Syncline's own format; otf2: an archive for Vampir and others; ctf: a "
            "trace per clock for Trace Compass, Babeltrace and others")
      ->required()
      ->check(CLI::IsMember(ConvertTargetNames()));
  AddOption(command, "-o,--output", o.output, "PATH",
            "The file to write, - for standard output; of otf2 and ctf the folder")
      ->required();
  AddOption(command, "--messages", o.messages, "FILE",
            "csv: also write a table of all messages, with their delays before and after");
  command.add_flag("--quote-formulas", o.quote_formulas,
                   "csv: put ' before names that spreadsheets would take for formulas: those that "
                   "begin with =, +, -, @, a tab or a line end");
  CLI::Option* summary =
      AddOption(command, "--summary", o.summary, "FILE",
                "Apply the corrections of this summary, which sync wrote as syncline.json, "
                "instead of estimating them; goes without options of estimation. Bounds are then "
                "those of readings between the first and the last of each clock in that trace");
  CLI::Option* recorded =
      command.add_flag("--recorded", o.recorded, "Write the times as they were recorded")
          ->excludes(summary);
  AddOption(command, "--logical", o.logical,
            "Logical clock for contradictions that remain: none, simple or controlled, as of sync")
      ->check(CLI::IsMember({"none", "simple", "controlled"}))
      ->capture_default_str();
  DeclareLogicalOptions(command, o.clock);
  FinishOptions(command);
  for (CLI::Option* instead : {summary, recorded}) ExcludeEstimation(command, *instead);
}

}  // namespace syncline
