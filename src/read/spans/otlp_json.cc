#include <array>

#include "base/parse_number.h"
#include "read/spans/span_attributes.h"
#include "read/spans/span_forms.h"
#include "read/spans/span_text.h"

namespace syncline {
namespace {

using span_text::AttributeValue;
using span_text::Code;
using span_text::Value;

// An attribute's value stands in an object, whose key says of what type it is.
template <typename Visit>
Code ForEachAttribute(Value attributes, const Visit& visit) {
  return span_text::ForEachNamedValue(attributes, [&](std::string_view key, Value value) {
    simdjson::ondemand::json_type type{};
    SYNCLINE_JSON_TRY(value.type().get(type));
    if (type != simdjson::ondemand::json_type::object) return Code::SUCCESS;
    return span_text::ForEachMemberOf(value, [&](std::string_view, Value typed) {
      visit(key, typed);
      return Code::SUCCESS;
    });
  });
}

SpanKind KindNamed(std::string_view name) {
  constexpr std::array kNames = {"SPAN_KIND_UNSPECIFIED", "SPAN_KIND_INTERNAL",
                                 "SPAN_KIND_SERVER",      "SPAN_KIND_CLIENT",
                                 "SPAN_KIND_PRODUCER",    "SPAN_KIND_CONSUMER"};
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (name == kNames[i]) return static_cast<SpanKind>(i);
  }
  const auto number = ParseNumber<int64_t>(name);
  return number && *number >= 0 && *number <= 5 ? static_cast<SpanKind>(*number)
                                                : SpanKind::kUnknown;
}

class OtlpJson {
 public:
  OtlpJson(std::string_view clock_by, SpanPiece& piece) : clock_by_(clock_by), piece_(piece) {}

  Code Take(simdjson::ondemand::document& document) {
    simdjson::ondemand::object object;
    SYNCLINE_JSON_TRY(document.get_object().get(object));
    piece_.resources.emplace_back();
    return span_text::ForEachMember(object, [&](std::string_view key, Value value) {
      if (key == "resource") return TakeResource(value);
      if (key != "scopeSpans" && key != "instrumentationLibrarySpans") return Code::SUCCESS;
      return span_text::ForEachElement(value, [&](Value scope) { return TakeScope(scope); });
    });
  }

 private:
  Code TakeResource(Value resource) {
    return span_text::ForEachMemberOf(resource, [&](std::string_view key, Value value) {
      if (key != "attributes") return Code::SUCCESS;
      return ForEachAttribute(value, [&](std::string_view name, Value typed) {
        TakeResourceAttribute(name, AttributeValue{typed}, clock_by_, piece_.resources.back());
      });
    });
  }

  Code TakeScope(Value scope) {
    return span_text::ForEachMemberOf(scope, [&](std::string_view key, Value value) {
      if (key != "spans") return Code::SUCCESS;
      return span_text::ForEachElement(value, [&](Value span) {
        piece_.spans.emplace_back();
        return TakeSpan(span, piece_.spans.back());
      });
    });
  }

  Code TakeSpan(Value object, Span& span) {
    auto code = span_text::ForEachMemberOf(
        object, [&](std::string_view key, Value value) { return TakeMember(key, value, span); });
    // A parent and its child have one trace.
    if (span.parent.span != 0) {
      span.parent.trace_high = span.key.trace_high;
      span.parent.trace_low = span.key.trace_low;
    }
    return code;
  }

  Code TakeMember(std::string_view key, Value value, Span& span) {
    const char* base = piece_.bytes.data();
    if (key == "traceId" || key == "spanId") {
      span_text::TakeId(key, value, span.key);
    } else if (key == "parentSpanId") {
      span.parent.span = span_text::ParseId(span_text::TextOf(value)).low;
    } else if (key == "name") {
      span.name = PrintableName(span_text::TextOf(value));
    } else if (key == "kind") {
      TakeKind(value, span);
    } else if (key == "startTimeUnixNano") {
      return span_text::ReadTime(value, base, 1, span.start);
    } else if (key == "endTimeUnixNano") {
      return span_text::ReadTime(value, base, 1, span.end);
    } else if (key == "attributes") {
      return ForEachAttribute(value, [&](std::string_view name, Value typed) {
        TakeSpanAttribute(name, AttributeValue{typed}, span);
      });
    } else if (key == "events") {
      return span_text::ForEachElement(value, [&](Value event) { return TakeEvent(event, span); });
    } else if (key == "links") {
      return span_text::ForEachElement(value, [&](Value link) { return TakeLink(link, span); });
    } else if (key == "status") {
      return TakeStatus(value, span);
    }
    return Code::SUCCESS;
  }

  static void TakeKind(Value value, Span& span) {
    simdjson::ondemand::json_type type{};
    if (value.type().get(type) != Code::SUCCESS) return;
    if (type == simdjson::ondemand::json_type::string) {
      span.kind = KindNamed(span_text::TextOf(value));
    } else if (const auto number = span_text::IntegerOf(value); number && *number >= 0) {
      span.kind = *number <= 5 ? static_cast<SpanKind>(*number) : SpanKind::kUnknown;
    }
  }

  Code TakeEvent(Value event, Span& span) {
    SpanMoment& moment = span.moments.emplace_back();
    return span_text::ForEachMemberOf(event, [&](std::string_view key, Value value) {
      if (key == "name") moment.name = PrintableName(span_text::TextOf(value));
      if (key != "timeUnixNano") return Code::SUCCESS;
      return span_text::ReadTime(value, piece_.bytes.data(), 1, moment.time);
    });
  }

  static Code TakeLink(Value link, Span& span) {
    SpanKey& id = span.links.emplace_back();
    return span_text::ForEachMemberOf(link, [&](std::string_view key, Value value) {
      if (key == "traceId" || key == "spanId") span_text::TakeId(key, value, id);
      return Code::SUCCESS;
    });
  }

  static Code TakeStatus(Value status, Span& span) {
    return span_text::ForEachMemberOf(status, [&](std::string_view key, Value value) {
      if (key != "code") return Code::SUCCESS;
      simdjson::ondemand::json_type type{};
      SYNCLINE_JSON_TRY(value.type().get(type));
      span.is_error = type == simdjson::ondemand::json_type::string
                          ? span_text::TextOf(value) == "STATUS_CODE_ERROR"
                          : span_text::IntegerOf(value) == 2;
      return Code::SUCCESS;
    });
  }

  std::string_view clock_by_;
  SpanPiece& piece_;
};

}  // namespace

simdjson::error_code ParseOtlpJson(simdjson::ondemand::parser& parser, std::string_view clock_by,
                                   SpanPiece& piece) {
  simdjson::ondemand::document document;
  SYNCLINE_JSON_TRY(span_text::Begin(parser, piece, document));
  return OtlpJson(clock_by, piece).Take(document);
}

}  // namespace syncline
