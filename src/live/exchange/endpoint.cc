#include "live/exchange/endpoint.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>

#include "base/parse_number.h"

namespace syncline {
namespace {

const sockaddr_in& AsIpv4(const sockaddr_storage& address) {
  return reinterpret_cast<const sockaddr_in&>(address);
}
const sockaddr_in6& AsIpv6(const sockaddr_storage& address) {
  return reinterpret_cast<const sockaddr_in6&>(address);
}

std::optional<uint16_t> ParsePort(std::string_view text) {
  const auto port = ParseNumber<uint16_t>(text);
  return port == 0 ? std::nullopt : port;
}

}  // namespace

uint16_t Endpoint::port() const {
  if (family() == AF_INET) return ntohs(AsIpv4(address_).sin_port);
  return family() == AF_INET6 ? ntohs(AsIpv6(address_).sin6_port) : uint16_t{0};
}

bool Endpoint::IsMulticast() const {
  if (family() == AF_INET) return ntohl(AsIpv4(address_).sin_addr.s_addr) >> 28 == 14;
  return family() == AF_INET6 && IN6_IS_ADDR_MULTICAST(&AsIpv6(address_).sin6_addr) != 0;
}

std::string_view Endpoint::host_bytes() const {
  if (family() == AF_INET) {
    return {reinterpret_cast<const char*>(&AsIpv4(address_).sin_addr), sizeof(in_addr)};
  }
  if (family() == AF_INET6) {
    return {reinterpret_cast<const char*>(&AsIpv6(address_).sin6_addr), sizeof(in6_addr)};
  }
  return {};
}

std::string Endpoint::HostText() const {
  std::array<char, INET6_ADDRSTRLEN> text = {};
  const void* host = host_bytes().data();
  if (host == nullptr || inet_ntop(family(), host, text.data(), text.size()) == nullptr) return "?";
  return text.data();
}

std::string Endpoint::ToString() const {
  if (family() == AF_INET6) return fmt::format("[{}]:{}", HostText(), port());
  return fmt::format("{}:{}", HostText(), port());
}

Result<HostAndPort> ParseHostAndPort(const std::string& text, uint16_t default_port) {
  const auto refuse = [&] {
    return Fail(ErrorCode::kUsage,
                fmt::format("expected HOST, HOST:PORT or [IPV6]:PORT, not \"{}\"", text));
  };
  HostAndPort place = {.port = default_port};
  std::string_view rest = text;
  const size_t bracket = rest.starts_with('[') ? rest.find(']') : std::string_view::npos;
  const bool is_bare_ipv6 = bracket == std::string_view::npos && rest.find(':') != rest.rfind(':');
  const size_t end = bracket != std::string_view::npos ? bracket + 1
                     : is_bare_ipv6                    ? rest.size()
                                                       : std::min(rest.find(':'), rest.size());
  place.host =
      bracket != std::string_view::npos ? rest.substr(1, bracket - 1) : rest.substr(0, end);
  rest.remove_prefix(end);
  if (place.host.empty() || place.host.starts_with('[')) return refuse();
  if (rest.empty()) return place;
  const auto port = rest.starts_with(':') ? ParsePort(rest.substr(1)) : std::nullopt;
  if (!port) return refuse();
  place.port = *port;
  return place;
}

Result<Endpoint> ResolveEndpoint(const HostAndPort& place) {
  addrinfo hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(place.port);
  const int status = getaddrinfo(place.host.c_str(), port.c_str(), &hints, &found);
  if (status != 0) {
    return Fail(ErrorCode::kUnreadable, fmt::format("{}: {}", place.host, gai_strerror(status)));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(found, &freeaddrinfo);
  sockaddr_storage address = {};
  std::memcpy(&address, found->ai_addr, found->ai_addrlen);
  return Endpoint(address, found->ai_addrlen);
}

}  // namespace syncline
