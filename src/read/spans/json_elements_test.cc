#include "read/spans/json_elements.h"

#include <string>
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
  bool is_cut_off = false;
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
  cutting.is_cut_off = json.cut_off().has_value();
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
  EXPECT_TRUE(cutting.is_cut_off);
  EXPECT_EQ(cutting.all, text);
  EXPECT_EQ(cutting.error, "");
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
