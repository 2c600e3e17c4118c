// What the commands that exchange packets share of their command lines.
//
// Tested by: probe_command_test.cc.
#pragma once

#include <cstdint>
#include <string>

#include "syncline/result.h"

#include "cli/optional_output.h"
#include "live/exchange/endpoint.h"
#include "live/exchange/packet_key.h"
#include "live/exchange/udp_socket.h"

namespace CLI {
class App;
}

namespace syncline {

struct ExchangeOptions : OutputOptions {
  std::string key;
  StampWish stamps = StampWish::kKernel;
};
void DeclareExchangeOptions(CLI::App& command, ExchangeOptions& options);

// No key where no file is given.
Result<PacketKey> KeyFrom(const std::string& file);

// HOST or HOST:PORT.
Result<Endpoint> EndpointNamed(const std::string& text,
                               uint16_t default_port = kDefaultExchangePort);

}  // namespace syncline
