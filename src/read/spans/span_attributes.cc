#include "read/spans/span_attributes.h"

#include <array>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

namespace syncline {
namespace {

template <typename Known, size_t kCount>
std::optional<Known> Named(const std::array<std::pair<std::string_view, Known>, kCount>& names,
                           std::string_view key) {
  for (const auto& [name, known] : names) {
    if (key == name) return known;
  }
  return std::nullopt;
}

bool IsSecondOfControl(char c) {
  return static_cast<unsigned char>(c) >= 0x80 && static_cast<unsigned char>(c) < 0xa0;
}

}  // namespace

std::string PrintableName(std::string_view name) {
  const bool is_utf8 = simdjson::validate_utf8(name.data(), name.size());
  std::string printable;
  printable.reserve(name.size());
  for (size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    // U+0080 to U+009F are c2 80 to c2 9f.
    const bool is_control = c < 0x20 || c == 0x7f ||
                            (c == 0xc2 && i + 1 < name.size() && IsSecondOfControl(name[i + 1])) ||
                            (i > 0 && name[i - 1] == '\xc2' && IsSecondOfControl(name[i]));
    if (is_control || (c >= 0x80 && !is_utf8)) {
      printable += fmt::format("%{:02x}", c);
    } else {
      printable += name[i];
    }
  }
  return printable;
}

std::optional<SpanResource::Attribute> ResourceAttributeOf(std::string_view key) {
  static constexpr auto kNames =
      std::to_array<std::pair<std::string_view, SpanResource::Attribute>>({
          {"k8s.node.name", SpanResource::kNode},
          {"host.id", SpanResource::kHostId},
          {"host.name", SpanResource::kHostName},
          {"hostname", SpanResource::kHostName},  // of Jaeger's own clients
          {"service.instance.id", SpanResource::kInstance},
          {"service.name", SpanResource::kService},
      });
  return Named(kNames, key);
}

SpanAttribute SpanAttributeOf(std::string_view key) {
  static constexpr auto kNames = std::to_array<std::pair<std::string_view, SpanAttribute>>({
      {"http.response.status_code", SpanAttribute::kHttpStatus},
      {"http.status_code", SpanAttribute::kHttpStatus},
      {"rpc.grpc.status_code", SpanAttribute::kGrpcStatus},
      {"rpc.response.status_code", SpanAttribute::kRpcStatus},
      {"rpc.system", SpanAttribute::kRpcSystem},
      {"rpc.system.name", SpanAttribute::kRpcSystem},
      {"messaging.operation", SpanAttribute::kMessagingOperation},
      {"messaging.operation.type", SpanAttribute::kMessagingOperation},
  });
  return Named(kNames, key).value_or(SpanAttribute::kNone);
}

}  // namespace syncline
