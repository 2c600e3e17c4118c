#include "read/spans/json_elements.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace syncline {
namespace {

constexpr size_t kLongestKey = 32;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
// JSON has neither within strings, nor zeros anywhere.
bool IsBreak(char c) { return c == '\n' || c == '\0'; }

}  // namespace

JsonElements::JsonElements(InputFile file, std::span<const std::string_view> keys)
    : source_(std::move(file)), keys_(keys), name_(std::get<InputFile>(source_).path()) {}

JsonElements::JsonElements(std::string_view text, std::string name,
                           std::span<const std::string_view> keys)
    : source_(text), keys_(keys), name_(std::move(name)) {}

Result<size_t> JsonElements::Read(std::span<char> to) {
  if (auto* file = std::get_if<InputFile>(&source_)) return file->Read(std::as_writable_bytes(to));
  auto& text = std::get<std::string_view>(source_);
  const size_t n = text.copy(to.data(), to.size());
  text.remove_prefix(n);
  return n;
}

// Reads a block behind what there is; false at the end and at an error.
bool JsonElements::Fill() {
  if (at_end_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    base_ += begin_;
    scan_ -= begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ > kMaxElement) {
    Stop(fmt::format("an element is longer than {} bytes", kMaxElement), begin_);
    return false;
  }
  if (buffer_.size() < end_ + kFileBlock + kPadding) {
    buffer_.resize(std::max(end_ + kFileBlock + kPadding, 2 * buffer_.size()));
  }
  const size_t room = buffer_.size() - kPadding - end_;
  auto n = Read(std::span(buffer_).subspan(end_, room));
  if (!n) {
    error_ = std::move(n.error());
    return false;
  }
  at_end_ = *n < room;
  end_ += *n;
  return *n > 0;
}

const JsonElements::Piece* JsonElements::Stop(std::string message, size_t at) {
  error_ = Error{ErrorCode::kMalformed, std::move(message), name_, PositionIn(at)};
  return nullptr;
}

// Of a place in the buffer, from begin_ on.
LineColumn JsonElements::PositionIn(size_t at) const {
  const std::string_view before(buffer_.data() + begin_, at - begin_);
  const auto lines = static_cast<uint64_t>(std::ranges::count(before, '\n'));
  const size_t newline = before.rfind('\n');
  const uint64_t start =
      newline == std::string_view::npos ? line_start_ : base_ + begin_ + newline + 1;
  return {line_ + lines, base_ + at - start + 1};
}

LineColumn JsonElements::PositionOf(size_t byte_of_piece) const {
  const std::string_view before(piece_.bytes.data(), std::min(byte_of_piece, piece_.bytes.size()));
  const auto lines = static_cast<uint64_t>(std::ranges::count(before, '\n'));
  const size_t newline = before.rfind('\n');
  const uint64_t start =
      newline == std::string_view::npos ? piece_line_start_ : piece_.offset + newline + 1;
  return {piece_line_ + lines, piece_.offset + before.size() - start + 1};
}

const JsonElements::Piece* JsonElements::Hand(size_t end, bool is_element) {
  const std::string_view bytes(buffer_.data() + begin_, end - begin_);
  piece_ = {bytes, base_ + begin_, is_element};
  piece_line_ = line_;
  piece_line_start_ = line_start_;
  line_ += static_cast<uint64_t>(std::ranges::count(bytes, '\n'));
  const size_t newline = bytes.rfind('\n');
  if (newline != std::string_view::npos) line_start_ = piece_.offset + newline + 1;
  begin_ = end;
  return &piece_;
}

void JsonElements::CountCutOff(size_t at) {
  if (cut_offs_++ == 0) first_cut_off_ = PositionIn(at);
}

bool JsonElements::BeginsAnew() {
  if (buffer_[scan_] != '{' || (open_.empty() && !in_string_)) return false;
  // Elsewhere an object may well begin like that.
  const bool is_other =
      in_string_ || in_target_ || is_target_key_ || (open_ == "{" && !is_behind_colon_);
  while (is_other && end_ - scan_ < kLongestKey && Fill()) {
  }
  const std::string_view rest(buffer_.data() + scan_, end_ - scan_);
  return is_other && std::ranges::any_of(keys_, [&](std::string_view key) {
           return rest.starts_with("{\"") && rest.substr(2).starts_with(key) &&
                  rest.substr(2 + key.size()).starts_with('"');
         });
}

void JsonElements::Restart() {
  CountCutOff(begin_ < scan_ ? scan_ - 1 : scan_);
  open_.clear();
  in_string_ = is_escaped_ = collects_key_ = is_target_key_ = is_behind_colon_ = false;
  in_target_ = in_element_ = false;
}

// What follows up to the string's end, or that of a line, as far as it is there.
void JsonElements::SkipString() {
  before_ = ' ';
  for (; scan_ < end_; ++scan_) {
    const char c = buffer_[scan_];
    if (IsBreak(c)) {
      before_ = c;
      ++scan_;
      return;
    }
    if (is_escaped_) {
      is_escaped_ = false;
    } else if (c == '\\') {
      is_escaped_ = true;
    } else if (c == '"') {
      in_string_ = collects_key_ = false;
      ++scan_;
      return;
    }
    if (collects_key_ && key_.size() <= kLongestKey) key_ += c;
  }
}

JsonElements::Cut JsonElements::TakeOpen(char c) {
  if (open_.size() == kMaxDepth) {
    problem_ = fmt::format("is nested deeper than {} levels", kMaxDepth);
    return Cut::kError;
  }
  const bool begins_element = IsInTarget() && c == '{';
  if (begins_element && begin_ < scan_) return Cut::kBefore;
  if (open_.empty()) {
    has_target_ = false;
    object_at_ = PositionIn(scan_);
  }
  if (open_.size() == 1 && is_target_key_ && c == '[') in_target_ = has_target_ = true;
  is_target_key_ = false;
  in_element_ |= begins_element;
  open_ += c;
  return Cut::kNone;
}

JsonElements::Cut JsonElements::TakeClose(char c) {
  if (open_.empty() || open_.back() != (c == '}' ? '{' : '[')) {
    problem_ = fmt::format("'{}' closes nothing", c);
    return Cut::kError;
  }
  open_.pop_back();
  if (in_element_ && open_.size() == 2) {
    in_element_ = false;
    return Cut::kBehind;
  }
  if (open_.size() == 1) in_target_ = false;
  if (open_.empty() && !has_target_ && others_++ == 0) first_other_ = object_at_;
  return Cut::kNone;
}

JsonElements::Cut JsonElements::Take(char c) {
  if (!IsSpace(c)) is_behind_colon_ = c == ':';
  switch (c) {
    case '{':
    case '[': return TakeOpen(c);
    case '}':
    case ']': return TakeClose(c);
    case '"':
      in_string_ = true;
      collects_key_ = open_ == "{";
      if (collects_key_) key_.clear();
      is_target_key_ = false;
      break;
    case ':':
      is_target_key_ = open_ == "{" && std::ranges::find(keys_, key_) != keys_.end();
      return Cut::kNone;
    case '\0':
      if (open_.empty() && before_ != '\0') CountCutOff(scan_);
      return Cut::kNone;
    default: break;
  }
  const bool is_mark = base_ + scan_ < kByteOrderMark.size() && c == kByteOrderMark[base_ + scan_];
  if (!open_.empty() || IsSpace(c) || is_mark) return Cut::kNone;
  problem_ = "a JSON object is expected here";
  return Cut::kError;
}

const JsonElements::Piece* JsonElements::Next() {
  if (error_) return nullptr;
  for (;;) {
    while (scan_ < end_) {
      if (IsBreak(before_) && BeginsAnew()) {
        Restart();
        if (begin_ < scan_) return Hand(scan_, false);
      }
      if (error_) return nullptr;
      if (in_string_) {
        SkipString();
        continue;
      }
      const char c = buffer_[scan_];
      const Cut cut = Take(c);
      if (cut == Cut::kError) return Stop(std::move(problem_), scan_);
      if (cut == Cut::kBefore) return Hand(scan_, false);
      ++scan_;
      before_ = c;
      if (cut == Cut::kBehind) return Hand(scan_, true);
    }
    // What is no element need not wait for its end.
    if (!in_element_ && end_ - begin_ >= kFileBlock) return Hand(end_, false);
    if (Fill()) continue;
    if (error_) return nullptr;
    if (in_string_ || !open_.empty()) {
      CountCutOff(end_);
      in_string_ = false;
      open_.clear();
    }
    return begin_ < end_ ? Hand(end_, false) : nullptr;
  }
}

}  // namespace syncline
