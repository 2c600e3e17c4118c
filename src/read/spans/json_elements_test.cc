#include "read/spans/json_elements.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

namespace syncline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kKeys[] = {"spans"};

struct Cutting {
  std::vector<std::string> elements;
  std::string all;  // the bytes of all pieces
  std::string error;
  uint64_t others = 0;
  uint64_t cut_offs = 0;
  std::pair<uint64_t, uint64_t> cut_off;  // line and column
};

Cutting Cut(std::string_view text) {
  JsonElements json(text, "x.json", kKeys);
  Cutting cutting;
  while (const JsonElements::Piece* piece = json.Next()) {
    const std::string bytes(piece->bytes.data(), piece->bytes.size());
    EXPECT_EQ(piece->offset, cutting.all.size());
    cutting.all += bytes;
    if (piece->is_element) cutting.elements.push_back(bytes);
  }
  if (json.error()) cutting.error = json.error()->ToString();
  cutting.others = json.others();
  cutting.cut_offs = json.cut_offs();
  cutting.cut_off = {json.first_cut_off().line, json.first_cut_off().column};
  return cutting;
}

TEST(JsonElements, ElementsOfLinesAndOfADocumentArePieces) {
  const std::string text =
      "{\"spans\":[{\"a\":1},{\"b\":[{}]}]}\n"
      "{\"spans\" : [ {\"c\":\"]}\\\"\"} ], \"total\": 3}\n";
  const Cutting cutting = Cut(text);
  EXPECT_THAT(cutting.elements, ElementsAre("{\"a\":1}", "{\"b\":[{}]}", "{\"c\":\"]}\\\"\"}"));
  EXPECT_EQ(cutting.all, text);
  EXPECT_EQ(cutting.error, "");
}

TEST(JsonElements, OnlyTheArrayOfTheOutermostObjectCounts) {
  const Cutting cutting =
      Cut("{\"x\":{\"spans\":[{}]},\"y\":\"spans\",\"z\":[{}],\"spans\":{\"spans\":[{}]}}");
  EXPECT_TRUE(cutting.elements.empty());
  EXPECT_EQ(cutting.others, 1U);
}

TEST(JsonElements, WhatIsNoObjectIsNoElement) {
  const Cutting cutting = Cut("{\"spans\":[1,\"{}\",[{}],null,{\"a\":2}]}");
  EXPECT_THAT(cutting.elements, ElementsAre("{\"a\":2}"));
}

TEST(JsonElements, AnElementMayBeLongerThanABlock) {
  const std::string element = "{\"a\":\"" + std::string(3 * kFileBlock, 'x') + "\"}";
  const std::string text = "{\"other\":\"" + std::string(2 * kFileBlock, 'y') + "\",\"spans\":[" +
                           element + "," + element + "]}";
  const Cutting cutting = Cut(text);
  EXPECT_THAT(cutting.elements, ElementsAre(element, element));
  EXPECT_EQ(cutting.all, text);
}

TEST(JsonElements, AFileThatEndsWithinAValueKeepsWhatWasWhole) {
  const std::string text = "{\"spans\":[{\"a\":1},{\"b\":";
  const Cutting cutting = Cut(text);
  EXPECT_THAT(cutting.elements, ElementsAre("{\"a\":1}"));
  EXPECT_EQ(cutting.cut_offs, 1U);
  EXPECT_EQ(cutting.all, text);
  EXPECT_EQ(cutting.error, "");
}

// Writers that were killed leave half a line, and go on behind it once they are started again.
TEST(JsonElements, ALineThatEndsWithinAValueLosesOnlyItself) {
  const std::string whole = "{\"spans\":[{\"a\":1},{\"b\":[{\"c\":\"]\"}]}]}";
  for (size_t length = 1; length < whole.size(); ++length) {
    const std::string text =
        whole + "\n" + whole.substr(0, length) + "\n" + whole + "\n" + whole + "\n";
    const Cutting cutting = Cut(text);
    EXPECT_EQ(cutting.error, "") << length;
    const size_t of_half = (length >= 17 ? 1U : 0U) + (length >= 35 ? 1U : 0U);
    EXPECT_EQ(cutting.elements.size(), 3 * 2 + of_half) << length;
    EXPECT_EQ(cutting.cut_offs, 1U) << length;
    EXPECT_EQ(cutting.cut_off, std::pair(uint64_t{2}, uint64_t{length + 1})) << length;
    EXPECT_EQ(cutting.all, text);
  }
}

TEST(JsonElements, ADocumentMayHaveItsLinesAsItLikes) {
  const std::string text =
      "{\n\"x\":\n{\"spans\":[]},\n\"spans\":[\n{\"a\":\n{}\n}\n,\n{\"y\":2}]\n}\n[\n{\"spans\":[]}"
      "]";
  const Cutting cutting = Cut(text);
  EXPECT_EQ(cutting.elements.size(), 2U);
  EXPECT_EQ(cutting.cut_offs, 0U);
}

TEST(JsonElements, ZerosBehindAValueAreWhereItWasCutOff) {
  const std::string whole = "{\"spans\":[{}]}\n";
  const std::string zeros(3 * kFileBlock, '\0');
  for (const std::string& half : {std::string(), whole.substr(0, 11), whole.substr(0, 4)}) {
    const std::string text = whole + half + zeros + whole;
    const Cutting cutting = Cut(text);
    EXPECT_EQ(cutting.error, "");
    EXPECT_EQ(cutting.elements.size(), 2U) << half;
    EXPECT_EQ(cutting.cut_offs, 1U) << half;
    EXPECT_EQ(cutting.all, text);
  }
  EXPECT_EQ(Cut(whole + zeros).cut_off, std::pair(uint64_t{2}, uint64_t{1}));
}

TEST(JsonElements, ErrorsNameLineAndColumn) {
  EXPECT_EQ(Cut("{}\n  x").error, "x.json:2:3: a JSON object is expected here");
  EXPECT_EQ(Cut("{\"spans\":[{}]}\n{]").error, "x.json:2:2: ']' closes nothing");
  EXPECT_EQ(Cut("{\"spans\":[{\"a\":\n}]\n]").error, "x.json:3:1: ']' closes nothing");
  EXPECT_THAT(Cut("{\"a\":" + std::string(2000, '[')).error, HasSubstr("nested deeper than 1000"));
}

TEST(JsonElements, AByteOrderMarkIsSkipped) {
  EXPECT_THAT(Cut("\xEF\xBB\xBF{\"spans\":[{}]}").elements, ElementsAre("{}"));
}

}  // namespace
}  // namespace syncline
