#include "cli/clock/serve_command.h"

#include <cmath>
#include <cstdio>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/optional_output.h"
#include "cli/options.h"
#include "live/exchange/exchange_server.h"
#include "record/counter/counter.h"
#include "report/table.h"

namespace syncline {
namespace {

constexpr const char* kServeFooter =
    R"(Anyone who can send to the address is answered, at most --rate times a second; an answer is as long
as its question. Questions in which something is wrong are counted and ignored. SIGINT and SIGTERM
end it as --count and --duration do.

Exit codes: 0 done; 1 wrong usage; 2 an address cannot be served, or a file not read or written.)";

Result<Endpoint> ListenOn(const ServeOptions& o) {
  auto place = ParseHostAndPort(o.listen);
  if (!place) return tl::unexpected(place.error());
  if (!o.port.empty()) {
    const auto port = ParseCount("--port", o.port, 1, 65535);
    if (!port) return tl::unexpected(port.error());
    place->port = static_cast<uint16_t>(*port);
  }
  return ResolveEndpoint(*place);
}

Result<std::optional<Endpoint>> GroupOf(const ServeOptions& o, const Endpoint& listen) {
  if (o.broadcast.empty()) return std::nullopt;
  const auto place = ParseHostAndPort(o.broadcast, listen.port());
  if (!place) return tl::unexpected(place.error());
  const auto group = ResolveEndpoint(*place);
  if (!group) return tl::unexpected(group.error());
  if (group->family() == listen.family()) return *group;
  return Fail(ErrorCode::kUsage, "--broadcast: not of the kind of address that --listen is");
}

Result<void> SetLimits(const ServeOptions& o, ServerOptions& server) {
  const auto rate = ParseCount("--rate", o.rate, 1, 1'000'000);
  if (!rate) return tl::unexpected(rate.error());
  const auto per_second = static_cast<int64_t>(*rate);
  server.answerer.rate = {.per_second = per_second, .at_once = per_second};
  if (!o.count.empty()) {
    const auto count = ParseCount("--count", o.count, 1, UINT64_MAX);
    if (!count) return tl::unexpected(count.error());
    server.most_answers = *count;
  }
  if (!o.duration.empty()) {
    const auto span = ParseSpan("--duration", o.duration, 0.001, kLongestS);
    if (!span) return tl::unexpected(span.error());
    server.longest_ns = *span;
  }
  return {};
}

Result<ServerOptions> ServerOptionsOf(const ServeOptions& o) {
  ServerOptions server;
  const auto listen = ListenOn(o);
  if (!listen) return tl::unexpected(listen.error());
  server.listen = *listen;
  const auto group = GroupOf(o, *listen);
  if (!group) return tl::unexpected(group.error());
  server.group = *group;
  server.stamps = StampsWished(o.common);
  auto key = KeyOf(o.common);
  if (!key) return tl::unexpected(key.error());
  server.answerer.key = std::move(*key);
  if (!o.distort.empty()) {
    const auto distortion = ParseDistortion(o.distort, ReadSystemNs(CLOCK_REALTIME));
    if (!distortion) return tl::unexpected(distortion.error());
    server.answerer.distortion = *distortion;
  }
  if (const auto set = SetLimits(o, server); !set) return tl::unexpected(set.error());
  return server;
}

void PrintBegin(const ServerOptions& server) {
  fmt::print("Serving the clock on {}{}.\n", server.listen.ToString(),
             server.answerer.key.is_given() ? ", to those who have the key" : "");
  if (server.group) fmt::print("Also answering questions to {}.\n", server.group->ToString());
  const Distortion& d = server.answerer.distortion;
  if (d.offset_ns != 0 || d.drift_ppb != 0) {
    const double ppm = static_cast<double>(d.drift_ppb) / 1000;
    fmt::print("Distorted by {} and {}{:.3f} ppm from {} ns on.\n",
               FormatSignedDuration(d.offset_ns), ppm < 0 ? "−" : "+", std::abs(ppm), d.origin_ns);
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
  const nlohmann::ordered_json json = {
      {"syncline", SYNCLINE_VERSION},
      {"listen", options.listen.ToString()},
      {"distortion",
       {{"offset_ns", d.offset_ns}, {"drift_ppb", d.drift_ppb}, {"origin_ns", d.origin_ns}}},
      {"received", c.received},
      {"answered", c.answered},
      {"ignored",
       {{"malformed", c.malformed},
        {"unauthenticated", c.unauthenticated},
        {"repeated", c.repeated},
        {"misplaced", c.misplaced},
        {"rate_limited", c.rate_limited}}},
      {"kernel_stamps",
       {{"arrivals", c.arrivals_by_kernel},
        {"departures", c.departures_by_kernel},
        {"contradictory", server.contradictory_stamps()}}}};
  return json.dump(2) + "\n";
}

}  // namespace

void DeclareServeOptions(CLI::App& command, ServeOptions& o) {
  command
      .add_option("--listen", o.listen,
                  "The address to serve on. Others than the loopback's let other machines ask; "
                  "0.0.0.0 or :: is every address of this one")
      ->type_name("ADDRESS")
      ->capture_default_str();
  command.add_option("--port", o.port, fmt::format("The UDP port [{}]", kDefaultExchangePort))
      ->type_name("PORT");
  command
      .add_option("--broadcast", o.broadcast,
                  "Also answer questions to this broadcast or multicast address (probe "
                  "--broadcast), on the same port unless it says another")
      ->type_name("ADDRESS");
  command.add_option("--rate", o.rate, "Questions answered per second and address")
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--distort", o.distort,
                  "For tests: tell a clock that is ahead by a known offset (in ns, us, ms, s) and "
                  "drift (in ppb, ppm), as in offset=-1.7s,drift=35ppm; counted from now, or from "
                  "origin=NANOSECONDS since the epoch")
      ->type_name("PARTS");
  command.add_option("--count", o.count, "End after so many answers")->type_name("N");
  command.add_option("--duration", o.duration, "End after so long")->type_name("SECONDS");
  DeclareExchangeOptions(command, o.common);
  FinishOptions(command);
  command.footer(kServeFooter);
}

Result<int> RunServe(const ServeOptions& options) {
  const auto server_options = ServerOptionsOf(options);
  if (!server_options) return tl::unexpected(server_options.error());
  auto json = OptionalOutput(options.common.json, options.common.if_exists());
  if (!json) return tl::unexpected(json.error());
  const auto stop = StopOnSignals();
  if (!stop) return tl::unexpected(stop.error());
  auto server = ExchangeServer::Open(*server_options);
  if (!server) return tl::unexpected(server.error());
  const bool is_silent = options.common.quiet || options.common.json == "-";
  if (!is_silent) PrintBegin(*server_options);
  if (const auto served = server->Serve(stop->get()); !served) {
    return tl::unexpected(served.error());
  }
  if (!is_silent) PrintEnd(server->counts());
  if (const auto done = FinishOutput(*json, ServeJson(*server_options, *server)); !done) {
    return tl::unexpected(done.error());
  }
  return kExitDone;
}

}  // namespace syncline
