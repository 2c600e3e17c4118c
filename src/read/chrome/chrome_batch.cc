#include "read/chrome/chrome_batch.h"

namespace syncline {

namespace ondemand = simdjson::ondemand;

simdjson::error_code CheckValue(ondemand::value& value) {
  const char first = *value.raw_json_token().data();
  if (first == '"') return value.get_raw_json_string().error();
  const bool is_value = first != ':' && first != ',' && first != ']' && first != '}';
  return is_value ? simdjson::SUCCESS : simdjson::TAPE_ERROR;
}

std::string Unescaped(std::string_view text) {
  std::string plain(text);
  if (text.find('\\') == std::string_view::npos) return plain;
  thread_local simdjson::dom::parser parser;  // which keeps its memory
  std::string_view value;
  if (parser.parse('"' + plain + '"').get_string().get(value) == simdjson::SUCCESS) plain = value;
  return plain;
}

std::string PlainKey(ondemand::field& field) {
  std::string_view plain;
  if (field.unescaped_key().get(plain) != simdjson::SUCCESS) plain = {};
  std::string key(plain);
  key += '"';
  return key.append(simdjson::SIMDJSON_PADDING, ' ');
}

std::string WithoutBlanks(std::string_view json) {
  thread_local simdjson::dom::parser parser;
  simdjson::dom::element element;
  if (parser.parse(json.data(), json.size()).get(element) != simdjson::SUCCESS) {
    return std::string(json);
  }
  return simdjson::minify(element);
}

namespace {

using Field = ChromeBatch::Field;

Field FieldOf(const char* key) {
  switch (*key) {
    case 'a': return IsKey(key, "args") ? Field::kArguments : Field::kOther;
    case 'b': return IsKey(key, "bind_id") ? Field::kBindId : Field::kOther;
    case 'c': return IsKey(key, "cat") ? Field::kCategory : Field::kOther;
    case 'd': return IsKey(key, "dur") ? Field::kDuration : Field::kOther;
    case 'i':
      if (IsKey(key, "id")) return Field::kId;
      return IsKey(key, "id2") ? Field::kId2 : Field::kOther;
    case 'n': return IsKey(key, "name") ? Field::kName : Field::kOther;
    case 'p':
      if (IsKey(key, "ph")) return Field::kPhase;
      return IsKey(key, "pid") ? Field::kPid : Field::kOther;
    case 't':
      if (IsKey(key, "ts")) return Field::kTime;
      return IsKey(key, "tid") ? Field::kTid : Field::kOther;
    default: return Field::kOther;
  }
}

bool HasEscapes(const char* key, const char* end) {
  while (key < end && *key != '"' && *key != '\\') ++key;
  return key < end && *key == '\\';
}

}  // namespace

simdjson::error_code ChromeBatch::Read(ondemand::object& object, ChromeEvent& event) {
  plain_texts.clear();
  for (simdjson::simdjson_result<ondemand::field> found : object) {
    if (auto error = found.error()) return error;
    ondemand::field&& field = std::move(found).value_unsafe();  // copies of it would take longer
    const char* const key = field.key().raw();
    Field known = FieldOf(key);
    if (known == Field::kOther && HasEscapes(key, begin + size)) {
      known = FieldOf(PlainKey(field).c_str());
    }
    if (auto error = ReadField(known, field.value(), event)) return error;
    if (auto error = CheckValue(field.value())) return error;
  }
  return simdjson::SUCCESS;
}

simdjson::error_code ChromeBatch::ReadField(Field field, ondemand::value& value,
                                            ChromeEvent& event) {
  const auto take_object = [&](std::string_view& text) {
    ondemand::json_type type{};
    const bool is_known = value.type().get(type) == simdjson::SUCCESS;
    if (!is_known || type != ondemand::json_type::object) return simdjson::SUCCESS;
    ondemand::object object;
    if (auto error = value.get_object().get(object)) return error;
    return object.raw_json().get(text);
  };
  const auto take = [&](ChromeToken& token) {
    const char first = *value.raw_json_token().data();
    if (first != '{' && first != '[') token = TokenOf(value.raw_json_token());
    return simdjson::SUCCESS;
  };
  switch (field) {
    case Field::kTime: return take(event.time);
    case Field::kDuration: return take(event.duration);
    case Field::kPid: return take(event.pid);
    case Field::kTid: return take(event.tid);
    case Field::kName: return take(event.name);
    case Field::kCategory: return take(event.category);
    case Field::kId: return take(event.id);
    case Field::kBindId: return take(event.bind_id);
    case Field::kArguments: return take_object(event.args);
    case Field::kPhase: {
      ChromeToken phase;
      take(phase);
      event.phase = phase.is_string && phase.text.size() == 1 ? phase.text[0] : '?';
      break;
    }
    case Field::kId2:
      if (auto error = take_object(event.id2)) return error;
      event.id2 = plain_texts.emplace_back(WithoutBlanks(event.id2));
      break;
    case Field::kOther: break;
  }
  return simdjson::SUCCESS;
}

}  // namespace syncline
