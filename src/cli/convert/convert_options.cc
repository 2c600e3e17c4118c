#include <CLI/CLI.hpp>

#include "cli/convert/convert_command.h"
#include "cli/convert/convert_targets.h"

namespace syncline {

void DeclareConvertOptions(CLI::App& command, ConvertOptions& o) {
  DeclareEstimateOptions(command, o.estimate);
  command
      .add_option("--to", o.to,
                  "What to write. chrome: JSON (Trace Event Format) for Perfetto's viewer and "
                  "others, with an arrow for each message; perfetto: the same as Perfetto's own "
                  "format, smaller; perfetto-bundle: Chrome JSON files as they are, in an archive "
                  "that tells "
                  "Perfetto how far their clocks are apart; "
                  "shiviz: a log with vector clocks; csv: a table of all events; text: Syncline's "
                  "own format; otf2: an archive for Vampir and others; ctf: a trace per clock for "
                  "Trace Compass, Babeltrace and others")
      ->required()
      ->check(CLI::IsMember(ConvertTargetNames()));
  command
      .add_option("-o,--output", o.output,
                  "The file to write, - for standard output; of otf2 and ctf the folder")
      ->required()
      ->type_name("PATH");
  command
      .add_option("--messages", o.messages,
                  "csv: also write a table of all messages, with their delays before and after")
      ->type_name("FILE");
  command.add_flag("--quote-formulas", o.quote_formulas,
                   "csv: put ' before names that spreadsheets would take for formulas: those that "
                   "begin with =, +, -, @, a tab or a line end");
  CLI::Option* summary =
      command
          .add_option("--summary", o.summary,
                      "Apply the corrections of this summary, which sync wrote as syncline.json, "
                      "instead of estimating them")
          ->type_name("FILE");
  command.add_flag("--recorded", o.recorded, "Write the times as they were recorded")
      ->excludes(summary);
  command
      .add_option("--logical", o.logical,
                  "Logical clock for contradictions that remain: none, simple or controlled, as of "
                  "sync")
      ->check(CLI::IsMember({"none", "simple", "controlled"}))
      ->capture_default_str();
  DeclareLogicalOptions(command, o.clock);
  FinishOptions(command);
}

}  // namespace syncline
