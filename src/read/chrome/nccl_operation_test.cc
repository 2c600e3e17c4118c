#include "read/chrome/nccl_operation.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(NcclOperation, NamesOfPyTorchAndNcclAreKinds) {
  constexpr std::pair<const char*, const char*> kCases[] = {
      {"allreduce", "allreduce"},
      {"nccl:all_reduce", "allreduce"},
      {"_allgather_base", "allgather"},
      {"reduce_scatter_tensor_coalesced", "reduce_scatter"},
      {"all_to_allv", "alltoall"},
      {"nccl:all_to_all", "alltoall"},
      {"broadcast", "bcast"},
      {"_reduce_oop", "reduce"},
      {"barrier", "barrier"},
      {"send", "send"},
      {"recv", "recv"},
      {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long)", "allreduce"},
      {"ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
       "reduce_scatter"},
      {"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*)", ""},
      {"ncclDevKernel_Generic_1(ncclDevKernelArgs)", ""},
      {"wait", ""},
      {"coalesced", ""},
      {"nccl", ""},
      {"", ""},
  };
  for (const auto& [name, kind] : kCases) EXPECT_EQ(CollectiveKind(name), kind) << name;
}

TEST(NcclOperation, ArgumentsAreNumbersOrStrings) {
  const NcclArguments args = ParseNcclArguments(
      R"({"Collective name":"allreduce","In msg nelems":1024,"dtype":"Float","Seq":"17",)"
      R"("Comms Id":"abc","Process Group Ranks":"[0, 2]","Process Group Name":"7\n","Src Rank":3,"correlation":9})");
  EXPECT_EQ(args.collective, "allreduce");
  EXPECT_EQ(args.group, "7%0a [0, 2]");
  EXPECT_EQ(args.instance, "abc");
  EXPECT_EQ(args.sequence, 17);
  EXPECT_EQ(args.source_rank, 3);
  EXPECT_EQ(args.correlation, 9);
  EXPECT_EQ(args.size, "1024 Float");
  EXPECT_FALSE(args.may_leave_out);
}

TEST(NcclOperation, ArgumentsMayBeWrittenInAnyWay) {
  const NcclArguments args = ParseNcclArguments(
      R"({ "\u0053eq" : 5 , "Comms Id" : [ 1, {"a" : 2.50} ], "other" : {"Seq" : 6},)"
      R"( "Process Group Name" : null, "In msg nelems" : 1.5, "Collective name" : "a\u0062\"",)"
      R"( "Src Rank" : true, "\q" : 1, "Dst Rank" : "x", "dtype" : "\ud800" })");
  EXPECT_EQ(args.sequence, 5);
  EXPECT_EQ(args.instance, R"([1,{"a":2.5}])");
  EXPECT_EQ(args.group, "");
  EXPECT_EQ(args.size, "1.5 ");
  EXPECT_EQ(args.collective, "ab\"");
  EXPECT_EQ(args.source_rank, std::nullopt);
  EXPECT_EQ(args.destination_rank, std::nullopt);
}

TEST(NcclOperation, RankIsTheRootsPlaceInTheGroup) {
  const auto root = [](const std::string& rank, const std::string& ranks) {
    return ParseNcclArguments(R"({"Process Group Ranks":)" + ranks + R"(,"Rank":)" + rank + "}")
        .root_rank;
  };
  EXPECT_EQ(root("1", R"("[4, 12, 6]")"), 12);
  EXPECT_EQ(root("\"0\"", "[4, 12]"), 4);
  EXPECT_EQ(root("2", R"("[4, 12]")"), std::nullopt);
  EXPECT_EQ(root("2", R"("[4, 12, ...]")"), std::nullopt);
  EXPECT_EQ(root("-1", R"("[4]")"), std::nullopt);
  EXPECT_EQ(root("0", R"("[]")"), std::nullopt);
  EXPECT_EQ(ParseNcclArguments(R"({"Rank":0})").root_rank, std::nullopt);
}

TEST(NcclOperation, SplitsWithZerosOrWithoutTheirEndMayLeaveMembersOut) {
  const auto may_leave_out = [](const char* sizes) {
    return ParseNcclArguments(std::string(R"({"In split size":")") + sizes + "\"}").may_leave_out;
  };
  EXPECT_FALSE(may_leave_out("[]"));
  EXPECT_FALSE(may_leave_out("[10, 20, 105]"));
  EXPECT_TRUE(may_leave_out("[10, 0, 5]"));
  EXPECT_TRUE(may_leave_out("[10, 20, ...]"));
}

TEST(NcclOperation, WhatIsNoObjectSaysNothing) {
  EXPECT_EQ(ParseNcclArguments("").collective, "");
  EXPECT_EQ(ParseNcclArguments("[1").collective, "");
  EXPECT_EQ(ParseNcclArguments(R"({"Seq":1,"dtype")").sequence, std::nullopt);
  EXPECT_EQ(NameInArguments(R"({"name":"python"})"), "python");
  EXPECT_EQ(NameInArguments("{}"), "");
}

}  // namespace
}  // namespace syncline
