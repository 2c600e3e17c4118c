#include <map>
#include <string>

#include "base/parse_number.h"
#include "read/spans/span_attributes.h"
#include "read/spans/span_forms.h"
#include "read/spans/span_text.h"

namespace syncline {
namespace {

using span_text::AttributeValue;
using span_text::Code;
using span_text::Value;

// {"key": …, "type": …, "value": …}
template <typename Visit>
Code ForEachTag(Value tags, const Visit& visit) {
  return span_text::ForEachNamedValue(tags, [&](std::string_view key, Value value) {
    visit(key, value);
    return Code::SUCCESS;
  });
}

SpanKind KindOfTag(std::string_view name) {
  if (name == "client") return SpanKind::kClient;
  if (name == "server") return SpanKind::kServer;
  if (name == "producer") return SpanKind::kProducer;
  if (name == "consumer") return SpanKind::kConsumer;
  return SpanKind::kInternal;
}

class JaegerJson {
 public:
  JaegerJson(std::string_view clock_by, SpanPiece& piece) : clock_by_(clock_by), piece_(piece) {}

  Code Take(simdjson::ondemand::document& document) {
    simdjson::ondemand::object object;
    SYNCLINE_JSON_TRY(document.get_object().get(object));
    return span_text::ForEachMember(object, [&](std::string_view key, Value value) {
      if (key == "processes") return TakeProcesses(value);
      if (key != "spans") return Code::SUCCESS;
      return span_text::ForEachElement(value, [&](Value span) {
        piece_.spans.emplace_back();
        return TakeSpan(span, piece_.spans.back());
      });
    });
  }

 private:
  // Processes may follow the spans that name them.
  uint32_t NumberOf(const std::string& process) {
    const auto [at, is_new] =
        numbers_.try_emplace(process, static_cast<uint32_t>(piece_.resources.size()));
    if (is_new) piece_.resources.emplace_back();
    return at->second;
  }

  Code TakeProcesses(Value processes) {
    return span_text::ForEachMemberOf(processes, [&](std::string_view id, Value process) {
      const uint32_t number = NumberOf(std::string(id));
      return span_text::ForEachMemberOf(process, [&](std::string_view key, Value value) {
        if (key == "serviceName") {
          TakeResourceAttribute("service.name", AttributeValue{value}, clock_by_,
                                piece_.resources[number]);
        }
        if (key != "tags") return Code::SUCCESS;
        return ForEachTag(value, [&](std::string_view name, Value tag) {
          TakeResourceAttribute(name, AttributeValue{tag}, clock_by_, piece_.resources[number]);
        });
      });
    });
  }

  Code TakeSpan(Value object, Span& span) {
    TimePlace duration;
    bool has_duration = false;
    std::string process;
    SYNCLINE_JSON_TRY(
        span_text::ForEachMemberOf(object, [&](std::string_view key, Value value) -> Code {
          if (key == "duration") {
            has_duration = true;
            return TakeDuration(value, duration);
          }
          if (key == "processID") process = span_text::TextOf(value);
          return TakeMember(key, value, span);
        }));
    span.resource = NumberOf(process);
    if (!has_duration || !span.start.IsThere()) return Code::SUCCESS;
    span.end = duration;
    if (__builtin_add_overflow(span.start.ns, duration.ns, &span.end.ns)) {
      return Code::NUMBER_OUT_OF_RANGE;
    }
    return Code::SUCCESS;
  }

  // A duration of 0 has a place, too.
  Code TakeDuration(Value value, TimePlace& duration) {
    const std::string_view token = value.raw_json_token();
    const size_t digits = std::min(token.find_first_not_of("0123456789"), token.size());
    duration = {static_cast<size_t>(token.data() - piece_.bytes.data()), digits, 0};
    const auto units = ParseNumber<int64_t>(token.substr(0, digits));
    // What stands behind the digits makes it another number.
    const bool is_whole = digits == token.size() ||
                          (token[digits] != '.' && token[digits] != 'e' && token[digits] != 'E');
    if (!units || !is_whole) return Code::NUMBER_ERROR;
    return __builtin_mul_overflow(*units, kJaegerTickNs, &duration.ns) ? Code::NUMBER_OUT_OF_RANGE
                                                                       : Code::SUCCESS;
  }

  Code TakeMember(std::string_view key, Value value, Span& span) {
    if (key == "traceID" || key == "spanID") {
      span_text::TakeId(key, value, span.key);
    } else if (key == "operationName") {
      span.name = PrintableName(span_text::TextOf(value));
    } else if (key == "startTime") {
      return span_text::ReadTime(value, piece_.bytes.data(), kJaegerTickNs, span.start);
    } else if (key == "references") {
      return span_text::ForEachElement(value, [&](Value r) { return TakeReference(r, span); });
    } else if (key == "tags") {
      return ForEachTag(value, [&](std::string_view name, Value tag) { TakeTag(name, tag, span); });
    } else if (key == "logs") {
      return span_text::ForEachElement(value, [&](Value log) { return TakeLog(log, span); });
    }
    return Code::SUCCESS;
  }

  // The first CHILD_OF is the parent, all else links.
  static Code TakeReference(Value reference, Span& span) {
    SpanKey id;
    bool is_child = false;
    SYNCLINE_JSON_TRY(
        span_text::ForEachMemberOf(reference, [&](std::string_view key, Value value) -> Code {
          if (key == "refType") is_child = span_text::TextOf(value) == "CHILD_OF";
          if (key == "traceID" || key == "spanID") span_text::TakeId(key, value, id);
          return Code::SUCCESS;
        }));
    if (is_child && !span.parent.IsValid()) {
      span.parent = id;
    } else {
      span.links.push_back(id);
    }
    return Code::SUCCESS;
  }

  static void TakeTag(std::string_view key, Value value, Span& span) {
    if (key == "span.kind") {
      span.kind = KindOfTag(span_text::TextOf(value));
    } else if (key == "error") {
      bool is_error = false;
      span.is_error |= span_text::TextOf(value) == "true" ||
                       (value.get_bool().get(is_error) == Code::SUCCESS && is_error);
    } else {
      TakeSpanAttribute(key, AttributeValue{value}, span);
    }
  }

  Code TakeLog(Value log, Span& span) {
    SpanMoment& moment = span.moments.emplace_back();
    return span_text::ForEachMemberOf(log, [&](std::string_view key, Value value) -> Code {
      if (key == "timestamp") {
        return span_text::ReadTime(value, piece_.bytes.data(), kJaegerTickNs, moment.time);
      }
      if (key != "fields") return Code::SUCCESS;
      return ForEachTag(value, [&](std::string_view name, Value field) {
        if (name == "event" || (name == "message" && moment.name.empty())) {
          moment.name = PrintableName(span_text::TextOf(field));
        }
      });
    });
  }

  std::string_view clock_by_;
  SpanPiece& piece_;
  std::map<std::string, uint32_t> numbers_;  // of processes
};

}  // namespace

simdjson::error_code ParseJaegerJson(simdjson::ondemand::parser& parser, std::string_view clock_by,
                                     SpanPiece& piece) {
  simdjson::ondemand::document document;
  SYNCLINE_JSON_TRY(span_text::Begin(parser, piece, document));
  return JaegerJson(clock_by, piece).Take(document);
}

}  // namespace syncline
