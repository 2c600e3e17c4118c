#include "read/chrome/chrome_batch.h"

namespace syncline {

namespace ondemand = simdjson::ondemand;

simdjson::error_code CheckValue(ondemand::value value) {
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

std::string_view ChromeBatch::WithoutBlanks(std::string_view json) {
  thread_local simdjson::dom::parser parser;
  simdjson::dom::element element;
  if (parser.parse(json.data(), json.size()).get(element) != simdjson::SUCCESS) return json;
  return plain_texts.emplace_back(simdjson::minify(element));
}

simdjson::error_code ChromeBatch::Read(ondemand::object object, ChromeEvent& event) {
  plain_texts.clear();
  for (simdjson::simdjson_result<ondemand::field> found : object) {
    ondemand::field field;
    if (auto error = std::move(found).get(field)) return error;
    const std::string_view from(field.key().raw(),
                                static_cast<size_t>(begin + size - field.key().raw()));
    std::string_view key = from.substr(0, from.find('"'));
    // One whose escapes are none of JSON's is none that is looked for.
    std::string_view plain;
    const bool has_escapes = key.find('\\') != std::string_view::npos;
    if (has_escapes && field.unescaped_key().get(plain) == simdjson::SUCCESS) key = plain;
    if (auto error = ReadField(key, field.value(), event)) return error;
    if (auto error = CheckValue(field.value())) return error;
  }
  return simdjson::SUCCESS;
}

simdjson::error_code ChromeBatch::ReadField(std::string_view key, ondemand::value value,
                                            ChromeEvent& event) {
  const auto is_object = [&] {
    ondemand::json_type type{};
    return value.type().get(type) == simdjson::SUCCESS && type == ondemand::json_type::object;
  };
  const auto take_object = [&](std::string_view& text) {
    if (!is_object()) return simdjson::SUCCESS;
    ondemand::object object;
    if (auto error = value.get_object().get(object)) return error;
    return object.raw_json().get(text);
  };
  const auto take = [&](ChromeToken& token) {
    const char first = *value.raw_json_token().data();
    if (first != '{' && first != '[') token = TokenOf(value.raw_json_token());
    return simdjson::SUCCESS;
  };
  switch (key.size()) {
    case 2:
      if (key == "ts") return take(event.time);
      if (key == "id") return take(event.id);
      if (key == "ph") {
        ChromeToken phase;
        take(phase);
        event.phase = phase.is_string && phase.text.size() == 1 ? phase.text[0] : '?';
      }
      break;
    case 3:
      if (key == "pid") return take(event.pid);
      if (key == "tid") return take(event.tid);
      if (key == "dur") return take(event.duration);
      if (key == "cat") return take(event.category);
      if (key == "id2") {
        if (auto error = take_object(event.id2)) return error;
        event.id2 = WithoutBlanks(event.id2);
      }
      break;
    case 4:
      if (key == "name") return take(event.name);
      if (key == "args") return take_object(event.args);
      break;
    case 7:
      if (key == "bind_id") return take(event.bind_id);
      break;
    default: break;
  }
  return simdjson::SUCCESS;
}

}  // namespace syncline
