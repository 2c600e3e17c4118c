#include "report/table.h"

#include <algorithm>

#include "base/check.h"

namespace syncline {
namespace {

// Code points of a UTF-8 text: all bytes that do not continue one.
size_t Width(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

}  // namespace

void Table::AddRow(std::vector<std::string> cells) {
  SYNCLINE_CHECK(cells.size() <= columns_.size());
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::ToString() const {
  std::vector<size_t> widths;
  for (size_t c = 0; c < columns_.size(); ++c) {
    widths.push_back(Width(columns_[c].title));
    for (const auto& row : rows_) widths[c] = std::max(widths[c], Width(row[c]));
  }
  std::string text;
  auto append_row = [&](auto cell_of) {
    std::string line;
    for (size_t c = 0; c < columns_.size(); ++c) {
      const std::string& cell = cell_of(c);
      const std::string padding(widths[c] - Width(cell), ' ');
      if (c > 0) line += "  ";
      line += columns_[c].align == Align::kLeft ? cell + padding : padding + cell;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  append_row([&](size_t c) -> const std::string& { return columns_[c].title; });
  for (const auto& row : rows_) append_row([&](size_t c) -> const std::string& { return row[c]; });
  return text;
}

}  // namespace syncline
