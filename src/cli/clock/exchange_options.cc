#include "cli/clock/exchange_options.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/parse_number.h"
#include "cli/common_options.h"

namespace syncline {

void DeclareExchangeOptions(CLI::App& command, ExchangeOptions& o) {
  command
      .add_option("--key", o.key,
                  "Sign packets with the key in this file (16 bytes or more, the same at both "
                  "ends), and ignore those that are not")
      ->type_name("FILE");
  command
      .add_option("--stamps", o.stamps,
                  "Who says when packets leave and arrive. kernel: the kernel, where it does, else "
                  "the program; program: the program")
      ->check(CLI::IsMember({"kernel", "program"}))
      ->capture_default_str();
  DeclareOutputOptions(command, o, "Write the figures as JSON; - for standard output");
}

StampWish StampsWished(const ExchangeOptions& options) {
  return options.stamps == "program" ? StampWish::kProgram : StampWish::kKernel;
}

Result<PacketKey> KeyOf(const ExchangeOptions& options) {
  return options.key.empty() ? PacketKey() : PacketKey::FromFile(options.key);
}

Result<double> ParseWithin(const std::string& option, const std::string& text, double least,
                           double most) {
  const auto number = ParseNumber<double>(text);
  if (number && *number >= least && *number <= most) return *number;
  return Fail(ErrorCode::kUsage, fmt::format("{}: expected a number from {} to {}, not \"{}\"",
                                             option, least, most, text));
}

Result<uint64_t> ParseCount(const std::string& option, const std::string& text, uint64_t least,
                            uint64_t most) {
  const auto number = ParseNumber<uint64_t>(text);
  if (number && *number >= least && *number <= most) return *number;
  return Fail(ErrorCode::kUsage,
              fmt::format("{}: expected a whole number from {} to {}, not \"{}\"", option, least,
                          most, text));
}

Result<int64_t> ParseSpan(const std::string& option, const std::string& text, double least_s,
                          double most_s) {
  const auto seconds = ParseWithin(option, text, least_s, most_s);
  if (!seconds) return tl::unexpected(seconds.error());
  return std::llround(*seconds * 1e9);
}

}  // namespace syncline
