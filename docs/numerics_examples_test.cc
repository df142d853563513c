// The tables of docs/spec/numerics.md hold for base/rescale.h and base/division.h.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/division.h"
#include "base/rescale.h"

namespace tally {
namespace {

using Row = std::map<std::string, std::string>;  // cell by column, without spaces and backticks

std::vector<std::string> CellsOf(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line.substr(1));
  for (std::string cell; std::getline(stream, cell, '|');) {
    std::string plain;
    for (const char c : cell) {
      if (c != ' ' && c != '`') plain += c;
    }
    cells.push_back(plain);
  }
  return cells;
}

// The rows of all tables that have `column`.
std::vector<Row> RowsWith(const std::string& column) {
  std::ifstream page("docs/spec/numerics.md");
  std::vector<Row> rows;
  std::vector<std::string> header;
  bool wanted = false;
  for (std::string line; std::getline(page, line);) {
    if (line.empty() || line[0] != '|') {
      header.clear();
      continue;
    }
    const std::vector<std::string> cells = CellsOf(line);
    if (header.empty()) {
      header = cells;
      wanted = std::find(header.begin(), header.end(), column) != header.end();
    } else if (wanted && cells[0].find("---") == std::string::npos) {
      Row row;
      for (size_t i = 0; i < header.size(); ++i) row[header[i]] = cells.at(i);
      rows.push_back(row);
    }
  }
  return rows;
}

int64_t Number(const std::string& text) { return std::stoll(text); }

void CheckModes(const Row& row, int64_t product, int shift) {
  for (const std::string_view name : kRoundingNames) {
    EXPECT_EQ(RoundShift<int64_t>(*ParseRounding(name), product, shift, product < 0),
              Number(row.at(std::string(name))))
        << name << " of " << product << " / 2^" << shift;
  }
}

TEST(NumericsPage, RoundsAsItsExamplesSay) {
  const std::vector<Row> quarters = RowsWith("P/4"), wide = RowsWith("P/2^30");
  ASSERT_GE(quarters.size(), 8u);
  ASSERT_GE(wide.size(), 6u);
  for (const Row& row : quarters) CheckModes(row, Number(row.at("P")), 2);
  for (const Row& row : wide) CheckModes(row, Number(row.at("P/2^30")) * (int64_t{1} << 30), 32);
}

TEST(NumericsPage, DividesAsItsExamplesSay) {
  const std::vector<Row> rows = RowsWith("a/b");
  ASSERT_GE(rows.size(), 6u);
  for (const Row& row : rows) {
    for (const std::string_view name : kRoundingNames) {
      if (name == "double") continue;
      const int64_t a = Number(row.at("a")), b = Number(row.at("b"));
      EXPECT_EQ(RoundDiv<int64_t>(*ParseRounding(name), a, b), Number(row.at(std::string(name))))
          << name << " of " << a << " / " << b;
    }
  }
}

TEST(NumericsPage, RescalesAsItsExamplesSay) {
  const std::vector<Row> rows = RowsWith("zero_in");
  ASSERT_GE(rows.size(), 5u);
  for (const Row& row : rows) {
    const std::string& bounds = row.at("lo,hi");
    const RescaleParams params = {.zero_in = static_cast<int32_t>(Number(row.at("zero_in"))),
                                  .multiplier = static_cast<int32_t>(Number(row.at("m"))),
                                  .bias = Number(row.at("b")),
                                  .shift = static_cast<int>(Number(row.at("s"))),
                                  .rounding = *ParseRounding(row.at("mode")),
                                  .zero_out = static_cast<int32_t>(Number(row.at("zero_out"))),
                                  .lo = Number(bounds),
                                  .hi = Number(bounds.substr(bounds.find(',') + 1))};
    const int64_t x = Number(row.at("x")), v = x - params.zero_in;
    EXPECT_EQ(v, Number(row.at("v")));
    EXPECT_EQ(v * params.multiplier + params.bias, Number(row.at("P")));
    EXPECT_EQ(Rescale<int64_t>(x, params), Number(row.at("y"))) << "x = " << x;
  }
}

}  // namespace
}  // namespace tally
