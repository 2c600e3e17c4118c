// Plain-text tables.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/quantity_text.h"

namespace syncline {

enum class Align { kLeft, kRight };

// Columns as wide as their content (in code points), two spaces apart; a header line first.
//
// A table wider than what it is printed on is folded: as many columns as fit, then, below, the
// first one again and those that follow. Tested by: table_test.cc.
class Table {
 public:
  struct Column {
    // NOLINTNEXTLINE(google-explicit-constructor): a title alone is one
    Column(const char* to_show, Align by = Align::kRight) : title(to_show), align(by) {}
    std::string title;
    Align align = Align::kRight;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void AddRow(std::vector<std::string> cells);  // missing cells at the end stay empty
  // `most` code points a line, where its content can be folded so.
  std::string ToString(size_t most = SIZE_MAX) const;

 private:
  using Widths = std::vector<size_t>;  // by column

  Widths ColumnWidths() const;
  void AppendColumns(const std::vector<size_t>& shown, const Widths& widths,
                     std::string& text) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

inline Table::Column Left(const char* title) { return {title, Align::kLeft}; }

}  // namespace syncline
