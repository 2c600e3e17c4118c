#include <limits>

#include "read/spans/span_attributes.h"
#include "read/spans/span_forms.h"

namespace syncline {
namespace {

enum class Wire : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

struct Field {
  uint32_t number = 0;
  Wire wire = Wire::kVarint;
  uint64_t value = 0;      // of kVarint and kFixed64
  std::string_view bytes;  // of kBytes; of kFixed64 its eight
};

// An attribute's value.
struct ProtobufValue {
  std::string_view string;
  std::optional<int64_t> number;
  std::string_view text() const { return string; }
  std::optional<int64_t> integer() const { return number; }
};

uint64_t LittleEndian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}
uint64_t BigEndian(std::string_view bytes) {
  uint64_t value = 0;
  for (const char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

// Of the fields that a span can have.
std::optional<Wire> WireOfSpan(uint32_t field) {
  switch (field) {
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
    case 9:
    case 11:
    case 13:
    case 15: return Wire::kBytes;
    case 6:
    case 10:
    case 12:
    case 14: return Wire::kVarint;
    case 7:
    case 8: return Wire::kFixed64;
    case 16: return Wire::kFixed32;
    default: return std::nullopt;
  }
}

class Parser {
 public:
  Parser(std::string_view message, std::string_view clock_by, SpanPiece& piece)
      : message_(message), clock_by_(clock_by), piece_(piece) {}

  std::optional<ProtobufError> Run() {
    ForEachField(message_, [&](const Field& field) {
      if (field.number == 1 && field.wire == Wire::kBytes) TakeResourceSpans(field.bytes);
    });
    return error_;
  }

 private:
  void FailAt(const char* where, std::string_view what) {
    if (!error_) error_ = {static_cast<size_t>(where - piece_.bytes.data()), what};
  }

  std::optional<uint64_t> ReadVarint(std::string_view& rest) {
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && !rest.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest.front());
      rest.remove_prefix(1);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    FailAt(rest.data(),
           rest.empty() ? "the message is cut off" : "a number is longer than 64 bits");
    return std::nullopt;
  }

  std::optional<Field> ReadField(std::string_view& rest) {
    const char* start = rest.data();
    const auto tag = ReadVarint(rest);
    if (!tag) return std::nullopt;
    Field field{static_cast<uint32_t>(*tag >> 3), static_cast<Wire>(*tag & 7)};
    if (field.number == 0 || *tag >> 3 > std::numeric_limits<uint32_t>::max()) {
      FailAt(start, "a field has no number");
      return std::nullopt;
    }
    uint64_t length = 0;
    switch (field.wire) {
      case Wire::kVarint: {
        const auto value = ReadVarint(rest);
        if (!value) return std::nullopt;
        field.value = *value;
        return field;
      }
      case Wire::kFixed64: length = 8; break;
      case Wire::kFixed32: length = 4; break;
      case Wire::kBytes: {
        const auto stated = ReadVarint(rest);
        if (!stated) return std::nullopt;
        length = *stated;
        break;
      }
      default: FailAt(start, "a field is of no known type"); return std::nullopt;
    }
    if (length > rest.size()) {
      FailAt(start, "a field is longer than its message");
      return std::nullopt;
    }
    field.bytes = rest.substr(0, length);
    if (field.wire == Wire::kFixed64) field.value = LittleEndian(field.bytes);
    rest.remove_prefix(length);
    return field;
  }

  template <typename Visit>
  void ForEachField(std::string_view message, const Visit& visit) {
    while (!message.empty() && !error_) {
      if (const auto field = ReadField(message)) visit(*field);
    }
  }
  // Only those that hold bytes.
  template <typename Visit>
  void ForEachPart(std::string_view message, const Visit& visit) {
    ForEachField(message, [&](const Field& field) {
      if (field.wire == Wire::kBytes) visit(field.number, field.bytes);
    });
  }

  void TakeResourceSpans(std::string_view message) {
    const auto resource = static_cast<uint32_t>(piece_.resources.size());
    piece_.resources.emplace_back();
    ForEachPart(message, [&](uint32_t number, std::string_view part) {
      if (number == 1) TakeResource(part);
      if (number != 2) return;
      ForEachPart(part, [&](uint32_t of_scope, std::string_view span) {
        if (of_scope != 2) return;
        if (!IsSpan(span)) {
          piece_.has_others = true;
          return;
        }
        piece_.spans.emplace_back().resource = resource;
        TakeSpan(span, piece_.spans.back());
      });
    });
  }

  template <typename Visit>
  void TakeAttribute(std::string_view attribute, const Visit& visit) {
    std::string_view key;
    ProtobufValue value;
    ForEachPart(attribute, [&](uint32_t number, std::string_view part) {
      if (number == 1) key = part;
      if (number != 2) return;
      ForEachField(part, [&](const Field& field) {
        if (field.number == 1 && field.wire == Wire::kBytes) value.string = field.bytes;
        if (field.number == 3 && field.wire == Wire::kVarint) {
          value.number = static_cast<int64_t>(field.value);
        }
      });
    });
    visit(key, value);
  }

  void TakeResource(std::string_view resource) {
    ForEachPart(resource, [&](uint32_t number, std::string_view part) {
      if (number != 1) return;
      TakeAttribute(part, [&](std::string_view key, const ProtobufValue& value) {
        TakeResourceAttribute(key, value, clock_by_, piece_.resources.back());
      });
    });
  }

  void TakeTime(const Field& field, TimePlace& time) {
    if (field.value == 0) return;
    if (field.value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      return FailAt(field.bytes.data(), "a time lies beyond the year 2262");
    }
    time = {static_cast<size_t>(field.bytes.data() - piece_.bytes.data()), 8,
            static_cast<int64_t>(field.value)};
  }

  static void TakeId(uint32_t number, std::string_view bytes, SpanKey& key) {
    if (number == 1 && bytes.size() == 16) {
      key.trace_high = BigEndian(bytes.substr(0, 8));
      key.trace_low = BigEndian(bytes.substr(8));
    }
    if (number == 2 && bytes.size() == 8) key.span = BigEndian(bytes);
  }

  // Requests of logs and metrics differ from those of spans in these elements only: some of their
  // fields are of other types, or nothing in them is a time or the ids of a span.
  bool IsSpan(std::string_view message) {
    bool has_time = false, has_trace = false, has_id = false, has_others = false;
    ForEachField(message, [&](const Field& field) {
      const auto expected = WireOfSpan(field.number);
      has_others = has_others || (expected && *expected != field.wire);
      has_time = has_time || field.number == 7 || field.number == 8;
      has_trace = has_trace || (field.number == 1 && field.bytes.size() == 16);
      has_id = has_id || (field.number == 2 && field.bytes.size() == 8);
    });
    return !has_others && (has_time || (has_trace && has_id));
  }

  void TakeSpan(std::string_view message, Span& span) {
    ForEachField(message, [&](const Field& field) {
      if (field.wire == Wire::kFixed64) {
        if (field.number == 7) TakeTime(field, span.start);
        if (field.number == 8) TakeTime(field, span.end);
      } else if (field.wire == Wire::kVarint) {
        if (field.number == 6 && field.value <= 5) span.kind = static_cast<SpanKind>(field.value);
      } else if (field.wire == Wire::kBytes) {
        TakePart(field.number, field.bytes, span);
      }
    });
    if (span.parent.span == 0) return;
    span.parent.trace_high = span.key.trace_high;
    span.parent.trace_low = span.key.trace_low;
  }

  void TakePart(uint32_t number, std::string_view part, Span& span) {
    switch (number) {
      case 1:
      case 2: TakeId(number, part, span.key); break;
      case 4:
        if (part.size() == 8) span.parent.span = BigEndian(part);
        break;
      case 5: span.name = PrintableName(part); break;
      case 9:
        TakeAttribute(part, [&](std::string_view key, const ProtobufValue& value) {
          TakeSpanAttribute(key, value, span);
        });
        break;
      case 11: TakeEvent(part, span); break;
      case 13: {
        SpanKey& link = span.links.emplace_back();
        ForEachPart(part,
                    [&](uint32_t of_link, std::string_view id) { TakeId(of_link, id, link); });
        break;
      }
      case 15:
        ForEachField(part, [&](const Field& field) {
          if (field.number == 3 && field.wire == Wire::kVarint) span.is_error = field.value == 2;
        });
        break;
      default: break;
    }
  }

  void TakeEvent(std::string_view event, Span& span) {
    SpanMoment& moment = span.moments.emplace_back();
    ForEachField(event, [&](const Field& field) {
      if (field.number == 1 && field.wire == Wire::kFixed64) TakeTime(field, moment.time);
      if (field.number == 2 && field.wire == Wire::kBytes) moment.name = PrintableName(field.bytes);
    });
  }

  std::string_view message_;
  std::string_view clock_by_;
  SpanPiece& piece_;
  std::optional<ProtobufError> error_;
};

}  // namespace

std::optional<ProtobufError> ParseOtlpProtobuf(std::string_view message, std::string_view clock_by,
                                               SpanPiece& piece) {
  return Parser(message, clock_by, piece).Run();
}

}  // namespace syncline
