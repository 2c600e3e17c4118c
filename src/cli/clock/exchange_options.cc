#include "cli/clock/exchange_options.h"

#include "base/try.h"
#include "cli/common_options.h"
#include "cli/parsed_option.h"

namespace syncline {

void DeclareExchangeOptions(CLI::App& command, ExchangeOptions& o) {
  command
      .add_option("--key", o.key,
                  "Sign packets with the key in this file (16 bytes or more, the same at both "
                  "ends), and ignore those that are not")
      ->type_name("FILE");
  AddChoice<StampWish, StampWish>(
      command, "--stamps", o.stamps,
      {{"kernel", StampWish::kKernel}, {"program", StampWish::kProgram}},
      "Who says when packets leave and arrive. kernel: the kernel, where it does, else "
      "the program; program: the program")
      ->default_str("kernel");
  DeclareOutputOptions(command, o, "Write the figures as JSON; - for standard output");
}

Result<PacketKey> KeyFrom(const std::string& file) {
  return file.empty() ? PacketKey() : PacketKey::FromFile(file);
}

Result<Endpoint> EndpointNamed(const std::string& text, uint16_t default_port) {
  SYNCLINE_ASSIGN(const HostAndPort place, ParseHostAndPort(text, default_port));
  return ResolveEndpoint(place);
}

}  // namespace syncline
