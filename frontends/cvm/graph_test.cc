#include "frontends/cvm/graph.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "frontends/cvm/testing/model_writer.h"
#include "ops/layout/attrs.h"
#include "ops/linear/attrs.h"

namespace tally::cvm {
namespace {

using ::nlohmann::json;

// data -> relu -> + w
ModelWriter Small() {
  ModelWriter model;
  model.Data({1, 3}).Weight("w", {3}, {1, 2, 3}, 4);
  model.Op("relu", {"data"}, {{1, 3}}).Op("broadcast_add", {"relu", "w"}, {{1, 3}});
  return model;
}

std::string LabelOf(const ModelWriter& model) { return ErrorLabel(ParseGraph(model.Text()).status()); }

// The label of Small after `change`.
template <typename Change>
std::string LabelAfter(const Change& change) {
  ModelWriter model = Small();
  change(model.json());
  return LabelOf(model);
}

TEST(ParseGraph, GivesShapesAndPrecisionsOfEveryValue) {
  const auto graph = ParseGraph(Small().Text());
  ASSERT_TRUE(graph.ok()) << graph.status();
  ASSERT_EQ(graph->nodes.size(), 4);
  EXPECT_EQ(graph->data, 0);
  EXPECT_EQ(graph->nodes[1].op, std::nullopt);
  EXPECT_EQ(graph->nodes[1].name, "w");
  EXPECT_EQ(graph->nodes[3].op, Opcode::kBroadcastAdd);
  EXPECT_EQ(graph->nodes[3].inputs, (std::vector<size_t>{2, 1}));
  EXPECT_EQ(graph->heads, std::vector<size_t>{3});
  EXPECT_EQ(graph->entries[3].shape, *Shape::Create({1, 3}));
  EXPECT_EQ(graph->entries[1].precision, 4);
  EXPECT_EQ(graph->entries[2].precision, 8);
  EXPECT_EQ(graph->entries[3].precision, 9);
}

TEST(ParseGraph, NumbersTheResultsOfANode) {
  ModelWriter model;
  model.Data({2, 5, 6}, 30).Op("get_valid_counts", {"data"}, {{2}, {2, 5, 6}});
  model.Op("non_max_suppression", {"get_valid_counts:1", "get_valid_counts"}, {{2, 5, 6}});
  const auto graph = ParseGraph(model.Text());
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->nodes[1].first_entry, 1);
  EXPECT_EQ(graph->nodes[2].first_entry, 3);
  EXPECT_EQ(graph->nodes[2].inputs, (std::vector<size_t>{2, 1}));
}

TEST(ParseGraph, ResolvesAttributes) {
  ModelWriter model;
  model.Data({2, 3, 4}).Op("reshape", {"data"}, {{2, 12}}, {{"shape", "(0, -1)"}}, "r");
  const auto graph = ParseGraph(model.Text());
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->nodes[1].attributes, Pack(ReshapeAttrs{{2, 12}}));
}

TEST(ParseGraph, ReadsBothVersions) {
  EXPECT_EQ(LabelAfter([](json& root) { root.erase("version"); }), "");
  EXPECT_EQ(LabelAfter([](json& root) {
              root["version"] = "cvm_1.1.0";
              root.erase("arg_nodes");
              root.erase("node_row_ptr");
              root["attrs"].erase("dltype");
            }),
            "");
  EXPECT_EQ(LabelAfter([](json& root) { root["version"] = "cvm_1.1.1"; }), "cvm_version");
  EXPECT_EQ(LabelAfter([](json& root) { root["version"] = ""; }), "cvm_version");
}

TEST(ParseGraph, IgnoresWhatCvmIgnores) {
  EXPECT_EQ(LabelAfter([](json& root) {
              root["nodes"][2]["precision"] = 99;
              root["nodes"][2]["attrs"]["num_inputs"] = "7";
              root["nodes"][2]["attrs"]["num_outputs"] = "7";
              root["nodes"][2]["attrs"]["flatten_data"] = "0";
              root["nodes"][2]["attrs"]["op_attrs"] = "x";
              root["attrs"]["dtype"] = {"list_int", {1, 2}};
              root["attrs"]["device_index"] = {"list_int", json::array()};
              root["attrs"]["op_attrs"][1][1] = "anything, of a variable";
              root["heads"][0] = {3, 0};
            }),
            "");
}

TEST(ParseGraph, RefusesFieldsThatAreMissingUnknownOrOfAnotherType) {
  for (const char* key : {"nodes", "heads", "attrs", "arg_nodes", "node_row_ptr"}) {
    EXPECT_EQ(LabelAfter([&](json& root) { root.erase(key); }), "cvm_key") << key;
    EXPECT_EQ(LabelAfter([&](json& root) { root[key] = 1; }), "cvm_key") << key;
  }
  for (const char* key : {"version", "postprocess"}) {
    EXPECT_EQ(LabelAfter([&](json& root) { root[key] = 1; }), "cvm_key") << key;
  }
  for (const char* key : {"shape", "storage_id", "op_attrs", "precision", "dltype"}) {
    EXPECT_EQ(LabelAfter([&](json& root) { root["attrs"].erase(key); }), "cvm_key") << key;
    EXPECT_EQ(LabelAfter([&](json& root) { root["attrs"][key][0] = "list"; }), "cvm_key") << key;
    EXPECT_EQ(LabelAfter([&](json& root) { root["attrs"][key][1] = nullptr; }), "cvm_key") << key;
    EXPECT_EQ(LabelAfter([&](json& root) { root["attrs"][key].push_back(1); }), "cvm_key") << key;
    EXPECT_EQ(LabelAfter([&](json& root) { root["attrs"][key][1][0] = nullptr; }), "cvm_key") << key;
  }
  for (const char* key : {"op", "name", "inputs", "attrs"}) {
    EXPECT_EQ(LabelAfter([&](json& root) { root["nodes"][2].erase(key); }), "cvm_key") << key;
    EXPECT_EQ(LabelAfter([&](json& root) { root["nodes"][2][key] = 1; }), "cvm_key") << key;
  }
  const auto unknown = [](json& object) { object["x"] = 1; };
  EXPECT_EQ(LabelAfter([&](json& root) { unknown(root); }), "cvm_key");
  EXPECT_EQ(LabelAfter([&](json& root) { unknown(root["attrs"]); }), "cvm_key");
  EXPECT_EQ(LabelAfter([&](json& root) { unknown(root["nodes"][0]); }), "cvm_key");
  EXPECT_EQ(LabelAfter([&](json& root) { unknown(root["nodes"][2]["attrs"]); }), "cvm_key");
  EXPECT_EQ(LabelAfter([](json& root) { root["nodes"][2]["attrs"]["num_inputs"] = 1; }), "cvm_key");
  EXPECT_EQ(LabelAfter([](json& root) { root["nodes"][2]["attrs"].erase("func_name"); }), "cvm_key");
  EXPECT_EQ(LabelAfter([](json& root) { root["attrs"]["dltype"][1][0] = "int8"; }), "cvm_key");
  EXPECT_EQ(LabelAfter([](json& root) { root["nodes"] = json::object(); }), "cvm_key");
  EXPECT_EQ(LabelAfter([](json& root) { root = json::array(); }), "cvm_key");
  EXPECT_EQ(LabelAfter([](json& root) { root["nodes"][2] = "relu"; }), "cvm_key");
}

TEST(ParseGraph, RefusesOtherLengths) {
  for (const char* key : {"shape", "storage_id", "op_attrs", "precision", "dltype"}) {
    EXPECT_EQ(LabelAfter([&](json& root) { root["attrs"][key][1].erase(0); }), "cvm_count") << key;
    EXPECT_EQ(LabelAfter([&](json& root) { root["attrs"][key][1].push_back(root["attrs"][key][1][0]); }),
              "cvm_count")
        << key;
  }
  const auto shorten = [](json& root) {
    for (const char* key : {"shape", "storage_id", "precision", "dltype"}) root["attrs"][key][1].erase(3);
  };
  EXPECT_EQ(LabelAfter(shorten), "cvm_count");
  EXPECT_EQ(LabelAfter([](json& root) { root["attrs"]["device_index"] = {"list_int", {0}}; }), "cvm_count");
  EXPECT_EQ(
      LabelAfter([](json& root) { root["nodes"] = std::vector<json>((1 << 16) + 1, root["nodes"][0]); }),
      "cvm_count");
}

TEST(ParseGraph, RefusesReferencesToValuesThatAreNotThere) {
  for (const int64_t node : {int64_t{-1}, int64_t{4}, int64_t{1} << 32, int64_t{-1} << 63}) {
    EXPECT_EQ(LabelAfter([&](json& root) { root["heads"][0][0] = node; }), "cvm_entry") << node;
    EXPECT_EQ(LabelAfter([&](json& root) { root["nodes"][3]["inputs"][0][0] = node; }), "cvm_entry") << node;
  }
  for (const int64_t index : {int64_t{-1}, int64_t{1}, int64_t{1} << 32}) {
    EXPECT_EQ(LabelAfter([&](json& root) { root["heads"][0][1] = index; }), "cvm_entry") << index;
    EXPECT_EQ(LabelAfter([&](json& root) { root["nodes"][3]["inputs"][0][1] = index; }), "cvm_entry")
        << index;
  }
  // Its own result, and a later one.
  EXPECT_EQ(LabelAfter([](json& root) { root["nodes"][2]["inputs"][0][0] = 2; }), "cvm_entry");
  EXPECT_EQ(LabelAfter([](json& root) { root["nodes"][2]["inputs"][0][0] = 3; }), "cvm_entry");
  EXPECT_EQ(LabelAfter([](json& root) { root["heads"] = json::array(); }), "cvm_entry");
  EXPECT_EQ(LabelAfter([](json& root) { root["heads"][0] = {3}; }), "cvm_key");
  EXPECT_EQ(LabelAfter([](json& root) { root["heads"][0] = {3, 0, 0, 0}; }), "cvm_key");
  EXPECT_EQ(LabelAfter([](json& root) { root["heads"][0] = 3; }), "cvm_key");
}

TEST(ParseGraph, RefusesAnIndexThatContradictsTheNodes) {
  for (const char* key : {"arg_nodes", "node_row_ptr"}) {
    EXPECT_EQ(LabelAfter([&](json& root) { root[key][1] = 2; }), "cvm_index") << key;
    EXPECT_EQ(LabelAfter([&](json& root) { root[key].push_back(99); }), "cvm_index") << key;
    EXPECT_EQ(LabelAfter([&](json& root) { root[key].erase(0); }), "cvm_index") << key;
    // cvm_1.1.0 computes them.
    EXPECT_EQ(LabelAfter([&](json& root) {
                root["version"] = "cvm_1.1.0";
                root[key][1] = 99;
              }),
              "")
        << key;
  }
}

TEST(ParseGraph, RefusesNamesOfVariables) {
  EXPECT_EQ(LabelAfter([](json& root) { root["nodes"][1]["name"] = "data"; }), "cvm_name");
  EXPECT_EQ(LabelAfter([](json& root) { root["nodes"][1]["name"] = ""; }), "cvm_name");
  EXPECT_EQ(LabelAfter([](json& root) { root["nodes"][0]["name"] = "Data"; }), "cvm_name");
  // Nobody refers to operators by name.
  EXPECT_EQ(LabelAfter([](json& root) { root["nodes"][3]["name"] = "relu"; }), "");
}

TEST(ParseGraph, RefusesUnknownOperators) {
  EXPECT_EQ(LabelAfter([](json& root) { root["nodes"][2]["op"] = "relu"; }), "cvm_operator");
  EXPECT_EQ(LabelAfter([](json& root) { root["nodes"][2]["attrs"]["func_name"] = "softmax"; }),
            "cvm_operator");
  EXPECT_EQ(LabelAfter([](json& root) { root["nodes"][2]["attrs"]["func_name"] = "constant"; }),
            "cvm_operator");
  EXPECT_EQ(LabelAfter([](json& root) { root["nodes"][2]["attrs"]["func_name"] = "relu_12"; }), "");
}

TEST(ParseGraph, RefusesOtherNumbersOfInputs) {
  EXPECT_EQ(LabelAfter([](json& root) { root["nodes"][2]["inputs"].push_back({0, 0, 0}); }), "cvm_operands");
  EXPECT_EQ(LabelAfter([](json& root) { root["nodes"][3]["inputs"].erase(0); }), "cvm_operands");
  EXPECT_EQ(LabelAfter([](json& root) { root["nodes"][1]["inputs"].push_back({0, 0, 0}); }), "cvm_operands");
}

TEST(ParseGraph, RefusesAttributes) {
  const auto with = [](const char* text) {
    ModelWriter model;
    model.Data({2, 3}).Op("transpose", {"data"}, {{3, 2}});
    model.attrs("op_attrs")[1] = text;
    return LabelOf(model);
  };
  EXPECT_EQ(with("{}"), "");
  EXPECT_EQ(with(R"x({"axes": "(1, 0)", "__shape__": "x"})x"), "");
  EXPECT_EQ(with(R"x({"axes": "(1, 0)", "axes": "(1, 0)"})x"), "cvm_json");
  EXPECT_EQ(with(R"x({"axes": (1, 0)})x"), "cvm_json");
  EXPECT_EQ(with(""), "cvm_json");
  EXPECT_EQ(with(R"x({"axes": [1, 0]})x"), "cvm_key");
  EXPECT_EQ(with(R"x(["axes"])x"), "cvm_key");
  EXPECT_EQ(with(R"x({"axis": "(1, 0)"})x"), "cvm_attribute");
  EXPECT_EQ(with(R"x({"axes": "(0, 0)"})x"), "transpose_c3");
  EXPECT_EQ(with(R"x({"axes": "(0, 99)"})x"), "attribute_range");
  EXPECT_EQ(with(R"x({"axes": "(0, 1, 2, 3, 4, 5, 6, 7, 8)"})x"), "attribute_length");
}

TEST(ParseGraph, RefusesDeclaredShapes) {
  const auto with = [](int entry, const json& dims) {
    return LabelAfter([&](json& root) { root["attrs"]["shape"][1][entry] = dims; });
  };
  EXPECT_EQ(with(2, {3, 1}), "cvm_declared_shape");
  EXPECT_EQ(with(3, {3}), "cvm_declared_shape");
  EXPECT_EQ(with(0, {0, 3}), "shape_dim");
  EXPECT_EQ(with(0, {-1, 3}), "shape_dim");
  EXPECT_EQ(with(0, {1, 1, 1, 1, 1, 1, 1, 1, 3}), "shape_rank");
  EXPECT_EQ(with(0, {1 << 30, 1 << 30}), "shape_elements");
  EXPECT_EQ(with(0, json::array()), "cvm_shape");
  EXPECT_EQ(with(0, {1, 1, 1, 1, 1, 1, 3}), "cvm_shape");
  EXPECT_EQ(with(0, {(1 << 24) + 1}), "cvm_shape");
  EXPECT_EQ(with(0, {1 << 24, 1 << 7}), "cvm_shape");
}

TEST(ParseGraph, RefusesDeclaredPrecisions) {
  const auto with = [](int entry, int64_t precision) {
    return LabelAfter([&](json& root) { root["attrs"]["precision"][1][entry] = precision; });
  };
  for (const int64_t precision : {int64_t{-1}, int64_t{0}, int64_t{33}, (int64_t{1} << 32) + 8}) {
    EXPECT_EQ(with(0, precision), "cvm_declared_precision") << precision;
    EXPECT_EQ(with(2, precision), precision == -1 ? "" : "cvm_declared_precision") << precision;
  }
  EXPECT_EQ(with(2, 32), "");  // the declaration of a result does not count
  EXPECT_EQ(with(0, 31), "");
  EXPECT_EQ(with(0, 32), "cvm_precision");  // the sum needs 33
}

TEST(ParseGraph, RefusesLongPostprocessNames) {
  EXPECT_EQ(LabelAfter([](json& root) { root["postprocess"] = std::string(32, 'x'); }), "");
  EXPECT_EQ(LabelAfter([](json& root) { root["postprocess"] = std::string(33, 'x'); }), "cvm_postprocess");
}

TEST(ParseGraph, MessagesNameTheNode) {
  ModelWriter model = Small();
  model.json()["nodes"][3]["attrs"]["func_name"] = "broadcast_\u202e\xc3\xa9";
  EXPECT_EQ(ParseGraph(model.Text()).status().message(),
            "node 3 'broadcast_add' (broadcast_\\u{202e}\xc3\xa9): CVM has no such operator");
}

}  // namespace
}  // namespace tally::cvm
