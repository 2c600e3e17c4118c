// What the commands serve and probe share of their command lines.
//
// Tested by: probe_command_test.cc.
#pragma once

#include <cstdint>
#include <string>

#include "syncline/result.h"

#include "base/file.h"
#include "live/exchange/packet_key.h"
#include "live/exchange/udp_socket.h"

namespace CLI {
class App;
}

namespace syncline {

// Values as they stand on the command line; empty: not given.
struct ExchangeOptions {
  std::string key;
  std::string stamps = "kernel";
  std::string json;
  std::string config;
  bool quiet = false;
  bool force = false;

  IfExists if_exists() const { return force ? IfExists::kReplace : IfExists::kFail; }
};
void DeclareExchangeOptions(CLI::App& command, ExchangeOptions& options);

StampWish StampsWished(const ExchangeOptions& options);
// No key where none is given.
Result<PacketKey> KeyOf(const ExchangeOptions& options);

// Errors: kUsage with the option's name.
Result<double> ParseWithin(const std::string& option, const std::string& text, double least,
                           double most);
Result<uint64_t> ParseCount(const std::string& option, const std::string& text, uint64_t least,
                            uint64_t most);
inline constexpr double kLongestS = 1e9;
// Seconds as nanoseconds.
Result<int64_t> ParseSpan(const std::string& option, const std::string& text, double least_s,
                          double most_s);

}  // namespace syncline
