#include "read/spans/span_attributes.h"

#include <array>
#include <utility>

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

}  // namespace

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
      {"messaging.operation.name", SpanAttribute::kMessagingOperation},
      {"messaging.operation.type", SpanAttribute::kMessagingOperation},
  });
  return Named(kNames, key).value_or(SpanAttribute::kNone);
}

bool IsReception(std::string_view operation) {
  return operation == "receive" || operation == "poll" || operation == "pull";
}

}  // namespace syncline
