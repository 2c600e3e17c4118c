// The fields of one line of a log, as its source says how to read it.
//
// Every form fills in the same places, in the order of the names it was made with; what a line does
// not have stays empty. Ownership: texts are valid until the next line of this object, and as long
// as the line itself. Cost: one pass over the line. Tested by: log_fields_test.cc.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/log_source.h"

namespace syncline {

struct LogField {
  bool is_there = false;
  std::string_view text;  // without quotes and escapes
  // As it stands in the line, between its quotes.
  size_t at = 0;
  size_t length = 0;
  bool is_quoted = false;
};

class LogFields {
 public:
  // Bytes behind a line that can be read.
  static constexpr size_t kPadding = 64;

  LogFields(const LogSource& source, std::vector<std::string> names);
  LogFields(LogFields&&) noexcept;
  ~LogFields();

  // A file of columns begins with this line, which may be its header. Requires kPadding.
  void Begin(std::string_view first_line);
  // False where the line is not of the source's form. `line` is without its end; requires kPadding.
  bool Read(std::string_view line);
  std::span<const LogField> fields() const { return fields_; }
  // CSV and TSV: whether the file's first line names the columns.
  bool has_header() const { return has_header_; }

 private:
  struct Json;
  bool ReadJson(std::string_view line);
  bool ReadColumns(std::string_view line);
  bool ReadText(std::string_view line);
  bool SplitColumns(std::string_view line);

  LogForm form_;
  std::vector<std::string> names_;
  std::vector<LogField> fields_;
  std::unique_ptr<Json> json_;
  // Columns: those of the latest line, unquoted where they had to be, and which names they have.
  std::vector<LogField> columns_;
  std::deque<std::string> unquoted_;
  std::vector<std::optional<size_t>> column_of_;
  bool is_by_number_ = false;  // the time, so that the first line need not have names
  bool has_header_ = false;
  // Text.
  std::optional<Pattern> pattern_;
  std::vector<std::string_view> groups_;
  std::vector<std::vector<size_t>> names_of_group_;
};

}  // namespace syncline
