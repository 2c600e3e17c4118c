#include "report/table.h"

#include <algorithm>

#include "base/check.h"
#include "base/terminal_text.h"

namespace syncline {
namespace {

constexpr size_t kGap = 2;  // between columns

// Code points of a UTF-8 text: all bytes that do not continue one.
size_t Width(const std::string& text) {
  return static_cast<size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

void Table::AddRow(std::vector<std::string> cells) {
  SYNCLINE_CHECK(cells.size() <= columns_.size());
  cells.resize(columns_.size());
  // As it is shown, which is what widths are of.
  for (std::string& cell : cells) cell = OnOneLine(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::ToString(size_t most) const {
  const Widths widths = ColumnWidths();
  std::string text;
  for (size_t next = 1; text.empty() || next < columns_.size();) {
    std::vector<size_t> shown = {0};
    size_t width = widths[0];
    while (next < columns_.size() && (shown.size() == 1 || width + kGap + widths[next] <= most)) {
      width += kGap + widths[next];
      shown.push_back(next++);
    }
    if (!text.empty()) text += "\n";
    AppendColumns(shown, widths, text);
  }
  return text;
}

Table::Widths Table::ColumnWidths() const {
  Widths widths;
  for (size_t c = 0; c < columns_.size(); ++c) {
    widths.push_back(Width(columns_[c].title));
    for (const auto& row : rows_) widths[c] = std::max(widths[c], Width(row[c]));
  }
  return widths;
}

void Table::AppendColumns(const std::vector<size_t>& shown, const Widths& widths,
                          std::string& text) const {
  const auto append_row = [&](auto cell_of) {
    std::string line;
    for (const size_t c : shown) {
      const std::string& cell = cell_of(c);
      const std::string padding(widths[c] - Width(cell), ' ');
      if (c != shown.front()) line.append(kGap, ' ');
      line += columns_[c].align == Align::kLeft ? cell + padding : padding + cell;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  append_row([&](size_t c) -> const std::string& { return columns_[c].title; });
  for (const auto& row : rows_) append_row([&](size_t c) -> const std::string& { return row[c]; });
}

}  // namespace syncline
