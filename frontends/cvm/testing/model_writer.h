// CVM models for tests, written field by field from what the test says, and open to damage.
//
//   ModelWriter model;
//   model.Data({1, 3}).Weight("w", {2, 3}, {1, 2, 3, 4, 5, 6});
//   model.Op("dense", {"data", "w"}, {{1, 2}}, {{"units", "2"}, {"use_bias", "False"}});
//   model.json()["heads"][0][1] = 7;
//   ImportCvm(model.Text(), model.Params());
//
// Shares no code with the importer.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tally::cvm {

using Dims = std::vector<int64_t>;

class ModelWriter {
 public:
  ModelWriter();

  ModelWriter& Data(const Dims& dims, int precision = 8);

  // An array of `bits` = 8 or 32.
  ModelWriter& Weight(const std::string& name, const Dims& dims, const std::vector<int64_t>& values,
                      int precision = 8, int bits = 32);

  // A node named `name`, by default as its operator; "name:1" among the inputs is a second result. One
  // list of dims for each result. The last node is the head, unless Heads says otherwise.
  ModelWriter& Op(const std::string& op, const std::vector<std::string>& inputs,
                  const std::vector<Dims>& results, const std::map<std::string, std::string>& attributes = {},
                  std::string name = "");

  ModelWriter& Heads(const std::vector<std::string>& values);

  nlohmann::json& json() { return json_; }
  // The list after the tag.
  nlohmann::json& attrs(const std::string& key) { return json_["attrs"][key][1]; }

  std::string Text() const { return json_.dump(); }
  std::vector<uint8_t> Params() const;

 private:
  struct Array {
    std::string name;
    Dims dims;
    std::vector<int64_t> values;
    int bits;
  };

  void AddNode(const std::string& name, nlohmann::json node, const std::vector<Dims>& results, int precision);
  nlohmann::json Reference(const std::string& value) const;

  nlohmann::json json_;
  std::map<std::string, int> nodes_;
  std::vector<Array> arrays_;
};

}  // namespace tally::cvm
