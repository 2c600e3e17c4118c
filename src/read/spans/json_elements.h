// Cuts JSON values that follow one another into elements of one array of each, to be parsed one by
// one.
//
// A file is one document, or a line for each; either way the elements of the array at one of `keys`
// of each object are pieces of their own, and what stands between them is others. Whether elements
// are valid JSON, their parser says; here brackets and strings count. A writer that was killed
// leaves half a line, or zeros: the next line that begins with one of the keys is read as another.
// Errors: those of the file; kMalformed with line and column. Ownership: a piece is valid until the
// next Next(), and followed by kPadding readable bytes. Memory: the largest element, at most
// kMaxElement, and a block. Cost: about 2 ns per byte. Tested by: json_elements_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "syncline/result.h"

#include "base/file.h"

namespace syncline {

class JsonElements {
 public:
  static constexpr size_t kPadding = 64;
  static constexpr size_t kMaxElement = size_t{1} << 30;  // bytes
  static constexpr size_t kMaxDepth = 1000;

  struct Piece {
    std::span<const char> bytes;
    uint64_t offset = 0;
    bool is_element = false;
  };

  // `keys` must outlive this object.
  JsonElements(InputFile file, std::span<const std::string_view> keys);
  // `text` must outlive this object, too.
  JsonElements(std::string_view text, std::string name, std::span<const std::string_view> keys);

  // nullptr at the end and at an error.
  const Piece* Next();
  const std::optional<Error>& error() const { return error_; }
  // Where in the file a byte of the latest piece stands.
  LineColumn PositionOf(size_t byte_of_piece) const;
  const std::string& name() const { return name_; }
  uint64_t bytes_read() const { return base_ + end_; }
  // Values that end before their end, and where the first of them does: by the end of the file, by
  // a line that begins with one of the keys, or by zeros. What is whole in them are elements.
  uint64_t cut_offs() const { return cut_offs_; }
  LineColumn first_cut_off() const { return first_cut_off_; }
  // Objects that have no array at any of the keys, so far, and where the first of them begins.
  uint64_t others() const { return others_; }
  LineColumn first_other() const { return first_other_; }

 private:
  using Source = std::variant<InputFile, std::string_view>;

  const Piece* Hand(size_t end, bool is_element);
  const Piece* Stop(std::string message, size_t at);
  bool Fill();
  Result<size_t> Read(std::span<char> to);
  // What the character means; the piece that ends before it or with it.
  enum class Cut { kNone, kBefore, kBehind, kError };
  Cut Take(char c);
  Cut TakeOpen(char c);
  Cut TakeClose(char c);
  void SkipString();
  // Whether a value that is under way was cut off, as another begins here.
  bool BeginsAnew();
  void Restart();
  void CountCutOff(size_t at);
  bool IsInTarget() const { return in_target_ && open_.size() == 2; }
  LineColumn PositionIn(size_t at) const;

  Source source_;
  std::span<const std::string_view> keys_;
  std::string name_;
  std::vector<char> buffer_;
  uint64_t base_ = 0;  // offset of buffer_[0] in the file
  size_t begin_ = 0;   // of the next piece
  size_t scan_ = 0;
  size_t end_ = 0;
  bool at_end_ = false;

  std::string open_;  // brackets that are open
  bool in_string_ = false;
  bool is_escaped_ = false;
  bool collects_key_ = false;
  std::string key_;             // the latest string of a top-level object
  bool is_target_key_ = false;  // and a colon behind it
  bool in_target_ = false;
  bool in_element_ = false;
  bool has_target_ = false;  // the object
  bool is_behind_colon_ = false;
  char before_ = ' ';  // the byte before the next, where it matters: the end of a line, or zero
  uint64_t others_ = 0;
  LineColumn first_other_;
  LineColumn object_at_;

  Piece piece_;
  uint64_t line_ = 1;        // of begin_
  uint64_t line_start_ = 0;  // its offset in the file
  uint64_t piece_line_ = 1;  // the same of the latest piece
  uint64_t piece_line_start_ = 0;
  std::string problem_;
  uint64_t cut_offs_ = 0;
  LineColumn first_cut_off_;
  std::optional<Error> error_;
};

}  // namespace syncline
