#include <cstdio>

#include <fmt/format.h>

#include "base/try.h"
#include "cli/clock/clock_command.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/parsed_option.h"
#include "record/counter/counter.h"
#include "report/json_parts.h"
#include "report/table.h"

namespace syncline {
namespace {

constexpr const char* kServeFooter =
    R"(Anyone who can send to the address is answered, at most --rate times a second; an answer is as long
as its question. Questions in which something is wrong are counted and ignored. SIGINT and SIGTERM
end it as --count and --duration do.
Times take ns, us, ms, s, min, h; a number alone is in seconds.

Exit codes: 0 done; 1 wrong usage; 2 an address cannot be served, or a file not read or written.)";

Result<ServerOptions> ServerOptionsOf(const ServeOptions& o) {
  ServerOptions server = o.server;
  SYNCLINE_ASSIGN(HostAndPort place, ParseHostAndPort(o.listen));
  place.port = o.port.value_or(place.port);
  SYNCLINE_ASSIGN(server.listen, ResolveEndpoint(place));
  if (!o.broadcast.empty()) {
    SYNCLINE_ASSIGN(server.group, EndpointNamed(o.broadcast, server.listen.port()));
    if (server.group->family() != server.listen.family()) {
      return Fail(ErrorCode::kUsage, "--broadcast: not of the kind of address that --listen is");
    }
  }
  server.stamps = o.stamps;
  SYNCLINE_ASSIGN(server.answerer.key, KeyFrom(o.key));
  server.answerer.rate = {.per_second = o.rate, .at_once = o.rate};
  return server;
}

void PrintBegin(const ServerOptions& server) {
  fmt::print("Serving the clock on {}{}.\n", server.listen.ToString(),
             server.answerer.key.is_given() ? ", to those who have the key" : "");
  if (server.group) fmt::print("Also answering questions to {}.\n", server.group->ToString());
  const Distortion& d = server.answerer.distortion;
  if (d.offset_ns != 0 || d.drift_ppb != 0) {
    const double ppm = static_cast<double>(d.drift_ppb) / 1000;
    fmt::print("Distorted by {} and {} from {} ns on.\n", FormatSignedDuration(d.offset_ns),
               FormatSignedPpm(ppm, 3), d.origin_ns);
  }
  std::fflush(stdout);
}

void PrintEnd(const AnswererCounts& c) {
  fmt::print("Answered {}; by the kernel's stamps {} arrivals, {} departures.\n",
             FormatCount(c.answered, "question"), FormatCount(c.arrivals_by_kernel),
             FormatCount(c.departures_by_kernel));
  if (c.answered == c.received) return;
  fmt::print(
      "Ignored: {} malformed, {} not signed with the key, {} repeated, {} not for this "
      "address, {} above the rate.\n",
      FormatCount(c.malformed), FormatCount(c.unauthenticated), FormatCount(c.repeated),
      FormatCount(c.misplaced), FormatCount(c.rate_limited));
}

std::string ServeJson(const ServerOptions& options, const ExchangeServer& server) {
  const AnswererCounts& c = server.counts();
  const Distortion& d = options.answerer.distortion;
  const Json json = {
      {"syncline", SYNCLINE_VERSION},
      {"listen", options.listen.ToString()},
      {"distortion", {SYNCLINE_FIELDS(d, offset_ns, drift_ppb, origin_ns)}},
      SYNCLINE_FIELDS(c, received, answered),
      {"ignored",
       {SYNCLINE_FIELDS(c, malformed, unauthenticated, repeated, misplaced, rate_limited)}},
      {"kernel_stamps",
       {{"arrivals", c.arrivals_by_kernel},
        {"departures", c.departures_by_kernel},
        {"contradictory", server.contradictory_stamps()}}}};
  return JsonText(json, 2) + "\n";
}

}  // namespace

void DeclareServeOptions(CLI::App& command, ServeOptions& o) {
  AddOption(command, "--listen", o.listen, "ADDRESS",
            "The address to serve on. Others than the loopback's let other machines ask; "
            "0.0.0.0 or :: is every address of this one")
      ->capture_default_str();
  AddParsed(command, "--port", o.port, NumberWithin(uint16_t{1}, 65535), "PORT",
            fmt::format("The UDP port [{}]", kDefaultExchangePort));
  AddOption(command, "--broadcast", o.broadcast, "ADDRESS",
            "Also answer questions to this broadcast or multicast address (probe "
            "--broadcast), on the same port unless it says another");
  AddParsed(command, "--rate", o.rate, NumberWithin(int64_t{1}, 1'000'000), "N",
            "Questions answered per second and address")
      ->default_str("1000");
  const auto distortion = [](const std::string& text) {
    return ParseDistortion(text, ReadSystemNs(CLOCK_REALTIME));
  };
  AddParsed(command, "--distort", o.server.answerer.distortion, distortion, "PARTS",
            "For tests: tell a clock that is ahead by a known offset (in ns, us, ms, s) and "
            "drift (in ppb, ppm), as in offset=-1.7s,drift=35ppm; counted from now, or from "
            "origin=NANOSECONDS since the epoch");
  AddParsed(command, "--count", o.server.most_answers, NumberWithin(uint64_t{1}, UINT64_MAX), "N",
            "End after so many answers");
  AddParsed(command, "--duration", o.server.longest_ns, SecondsWithin(0.001, kLongestS), "SECONDS",
            "End after so long");
  DeclareExchangeOptions(command, o);
  FinishOptions(command);
  command.footer(kServeFooter);
}

Result<int> RunServe(const ServeOptions& o) {
  SYNCLINE_ASSIGN(const ServerOptions options, ServerOptionsOf(o));
  SYNCLINE_TRY(CheckOutputs({o.json}, {o.key, o.config}));
  SYNCLINE_ASSIGN(auto json, OptionalOutput(o.json, o.if_exists()));
  SYNCLINE_ASSIGN(const FileDescriptor stop, StopOnSignals());
  SYNCLINE_ASSIGN(ExchangeServer server, ExchangeServer::Open(options));
  if (!o.is_silent()) PrintBegin(options);
  SYNCLINE_TRY(server.Serve(stop.get()));
  if (!o.is_silent()) PrintEnd(server.counts());
  SYNCLINE_TRY(FinishOutput(json, ServeJson(options, server)));
  return kExitDone;
}

}  // namespace syncline
