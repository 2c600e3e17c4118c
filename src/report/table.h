// Plain-text tables.
#pragma once

#include <string>
#include <vector>

#include "base/quantity_text.h"

namespace syncline {

enum class Align { kLeft, kRight };

// Columns as wide as their content (in code points), two spaces apart; a header line first.
class Table {
 public:
  struct Column {
    std::string title;
    Align align = Align::kRight;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void AddRow(std::vector<std::string> cells);  // missing cells at the end stay empty
  std::string ToString() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace syncline
