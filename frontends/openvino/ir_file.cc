#include "frontends/openvino/ir_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <optional>
#include <pugixml.hpp>
#include <queue>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/labels.h"
#include "frontends/graph/refusals.h"
#include "frontends/openvino/element_type.h"

namespace tally::openvino {
namespace {

using frontend::Malformed;

absl::StatusOr<int64_t> ParseInt(std::string_view text) {
  int64_t number = 0;
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size() && !text.empty()) return number;
  return Malformed(PrintableStart(text) + " is not an integer");
}

absl::StatusOr<int64_t> IntOf(const pugi::xml_node& node, const char* attribute) {
  const auto number = ParseInt(node.attribute(attribute).value());
  if (number.ok()) return number;
  return Malformed(std::string("attribute ") + attribute + " of <" + node.name() +
                   ">: " + std::string(number.status().message()));
}

template <typename Parse>
auto ParseList(std::string_view text, Parse parse)
    -> absl::StatusOr<std::vector<typename decltype(parse(text))::value_type>> {
  std::vector<typename decltype(parse(text))::value_type> list;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    auto number = parse(text.substr(0, comma));
    if (!number.ok()) return number.status();
    list.push_back(*number);
    if (comma + 1 == text.size()) return Malformed("a list ends with a comma");
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return list;
}

std::string Listed(const std::vector<int64_t>& dims) {
  std::string text;
  for (const int64_t dim : dims) absl::StrAppend(&text, text.empty() ? "[" : ", ", dim);
  return text.empty() ? "[]" : text + "]";
}

std::string Named(const IrLayer& layer) {
  return absl::StrCat("layer ", layer.id, " '", PrintableStart(layer.name), "' (", PrintableStart(layer.type),
                      ")");
}

// A layer and the ids of its ports, by which edges find it.
struct Ports {
  std::map<int64_t, size_t> inputs, outputs;     // places by id
  std::vector<std::vector<int64_t>> input_dims;  // as the file states them; empty where it does not
};

absl::StatusOr<std::vector<int64_t>> ReadDims(const pugi::xml_node& port, const IrLayer& layer) {
  std::vector<int64_t> dims;
  for (const pugi::xml_node dim : port.children("dim")) {
    const auto size = ParseInt(dim.child_value());
    if (!size.ok()) return Malformed(Named(layer) + ": " + std::string(size.status().message()));
    dims.push_back(*size);
  }
  return dims;
}

absl::Status ReadOutputs(const pugi::xml_node& node, IrLayer& layer, Ports& ports) {
  for (const pugi::xml_node port : node.child("output").children("port")) {
    ASSIGN_OR_RETURN(const int64_t id, IntOf(port, "id"));
    if (!ports.outputs.emplace(id, layer.outputs.size()).second)
      return Malformed(absl::StrCat(Named(layer), ": output port ", id, " occurs twice"));
    IrOutput output = {.precision = port.attribute("precision").value()};
    ASSIGN_OR_RETURN(output.dims, ReadDims(port, layer));
    layer.outputs.push_back(std::move(output));
  }
  for (size_t i = 0; i < layer.outputs.size(); ++i) {
    layer.outputs[i].value = layer.outputs.size() == 1 ? layer.name : absl::StrCat(layer.name, ".", i);
  }
  return absl::OkStatus();
}

// Refuses elements that occur twice: one of them would win unseen.
absl::Status CheckStatedOnce(const pugi::xml_node& node, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const auto children = node.children(name);
    if (std::distance(children.begin(), children.end()) > 1)
      return Malformed(absl::StrCat("<", node.name(), "> has two <", name, ">: leave one"));
  }
  return absl::OkStatus();
}

// XML has each attribute of an element once. Elements are visited without recursion.
absl::Status CheckAttributes(const pugi::xml_node& root) {
  std::vector<pugi::xml_node> open = {root};
  while (!open.empty()) {
    const pugi::xml_node node = open.back();
    open.pop_back();
    if (node.type() == pugi::node_doctype)
      return Malformed("it has a document type, which an IR does not: remove <!DOCTYPE ..>");
    std::set<std::string_view> names;
    for (const pugi::xml_attribute attribute : node.attributes()) {
      if (!names.insert(attribute.name()).second)
        return Malformed(absl::StrCat("<", PrintableStart(node.name()), "> has the attribute ",
                                      PrintableStart(attribute.name()), " twice: leave one"));
    }
    for (const pugi::xml_node child : node.children()) open.push_back(child);
  }
  return absl::OkStatus();
}

// A Parameter and a Const state the type of their elements twice: themselves, and by their port. Types that
// are not read are refused where somebody reads the layer.
absl::Status CheckTypes(const IrLayer& layer) {
  if (!absl::EqualsIgnoreCase(layer.type, "Parameter") && !absl::EqualsIgnoreCase(layer.type, "Const"))
    return absl::OkStatus();
  const auto element = layer.data.find("element_type");
  if (element == layer.data.end()) return absl::OkStatus();
  const auto type = IrTypeOf(element->second);
  for (const IrOutput& port : layer.outputs) {
    const auto stated = IrTypeOf(port.precision);
    if (!type.ok() || !stated.ok() || *type == *stated) continue;
    return Malformed(Named(layer) + ": its elements are " + PrintableStart(element->second) +
                     ", and its port says " + PrintableStart(port.precision) + ": one of the two is wrong");
  }
  return absl::OkStatus();
}

absl::Status ReadLayer(const pugi::xml_node& node, IrLayer& layer, Ports& ports) {
  RETURN_IF_ERROR(
      CheckStatedOnce(node, {"data", "input", "output", "rt_info", "body", "then_body", "else_body",
                             "port_map", "then_port_map", "else_port_map", "back_edges"}));
  ASSIGN_OR_RETURN(layer.id, IntOf(node, "id"));
  layer.name = node.attribute("name").value();
  layer.type = node.attribute("type").value();
  layer.version = node.attribute("version").value();
  for (const pugi::xml_node info : node.child("rt_info").children("attribute")) {
    if (std::string_view(info.attribute("name").value()) == "layout")
      layer.layout = info.attribute("layout").value();
  }
  for (const pugi::xml_attribute attribute : node.child("data").attributes())
    layer.data.emplace(attribute.name(), attribute.value());
  for (const pugi::xml_node input : node.children("input")) {
    for (const pugi::xml_node port : input.children("port")) {
      ASSIGN_OR_RETURN(const int64_t id, IntOf(port, "id"));
      if (!ports.inputs.emplace(id, layer.inputs.size()).second)
        return Malformed(absl::StrCat(Named(layer), ": input port ", id, " occurs twice"));
      layer.inputs.emplace_back();
      ASSIGN_OR_RETURN(ports.input_dims.emplace_back(), ReadDims(port, layer));
    }
  }
  RETURN_IF_ERROR(ReadOutputs(node, layer, ports));
  return CheckTypes(layer);
}

absl::StatusOr<std::vector<IrPortMap>> ReadPortMap(const pugi::xml_node& map, const char* kind,
                                                   const std::map<int64_t, size_t>& ports) {
  std::vector<IrPortMap> entries;
  for (const pugi::xml_node node : map.children(kind)) {
    IrPortMap entry = {.purpose = node.attribute("purpose").value()};
    ASSIGN_OR_RETURN(const int64_t id, IntOf(node, "external_port_id"));
    ASSIGN_OR_RETURN(entry.layer, IntOf(node, "internal_layer_id"));
    if (const auto port = ports.find(id); port != ports.end()) {
      entry.port = port->second;
    } else if (id != -1) {
      return Malformed(absl::StrCat("a port map names port ", id, ", which there is not"));
    }
    const std::pair<const char*, int64_t*> numbers[] = {{"start", &entry.start},
                                                        {"end", &entry.end},
                                                        {"stride", &entry.stride},
                                                        {"part_size", &entry.part_size}};
    for (const auto& [name, number] : numbers) {
      if (!node.attribute(name)) continue;
      ASSIGN_OR_RETURN(*number, IntOf(node, name));
    }
    if (node.attribute("axis")) {
      ASSIGN_OR_RETURN(entry.axis, IntOf(node, "axis"));
      if (entry.axis == -1 && id == -1) entry.axis.reset();
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

absl::StatusOr<std::vector<IrLayer>> ReadGraph(const pugi::xml_node& net, int depth);

absl::StatusOr<std::vector<IrBody>> ReadBodies(const pugi::xml_node& node, const Ports& ports, int depth) {
  constexpr int kMostDepth = 8;
  std::vector<IrBody> bodies;
  for (const std::string prefix : {"", "then_", "else_"}) {
    const pugi::xml_node graph = node.child((prefix + "body").c_str());
    if (!graph) continue;
    if (depth == kMostDepth)
      return MakeError(label::model_too_large, "bodies are in bodies more than 8 times");
    IrBody body;
    ASSIGN_OR_RETURN(body.layers, ReadGraph(graph, depth + 1));
    const pugi::xml_node map = node.child((prefix + "port_map").c_str());
    ASSIGN_OR_RETURN(body.inputs, ReadPortMap(map, "input", ports.inputs));
    ASSIGN_OR_RETURN(body.outputs, ReadPortMap(map, "output", ports.outputs));
    for (const pugi::xml_node edge : node.child("back_edges").children("edge")) {
      ASSIGN_OR_RETURN(const int64_t from, IntOf(edge, "from-layer"));
      ASSIGN_OR_RETURN(const int64_t to, IntOf(edge, "to-layer"));
      body.back_edges.emplace_back(from, to);
    }
    bodies.push_back(std::move(body));
  }
  return bodies;
}

// A port that states its shape states that of the port that an edge brings it; what is open is stated by
// nobody.
absl::Status CheckEnds(const IrOutput& from, const std::vector<int64_t>& to, const pugi::xml_node& edge) {
  if (to.empty()) return absl::OkStatus();
  bool fits = from.dims.size() == to.size();
  for (size_t i = 0; fits && i < to.size(); ++i)
    fits = from.dims[i] == to[i] || from.dims[i] < 1 || to[i] < 1;
  if (fits) return absl::OkStatus();
  return Malformed(absl::StrCat("the edge from layer ", edge.attribute("from-layer").as_llong(), " to layer ",
                                edge.attribute("to-layer").as_llong(), " joins a port of ", Listed(from.dims),
                                " and one of ", Listed(to), ": one of the two is wrong"));
}

class Reader {
 public:
  explicit Reader(int depth) : depth_(depth) {}

  absl::Status ReadLayers(const pugi::xml_node& layers) {
    for (const pugi::xml_node node : layers.children("layer")) {
      IrLayer layer;
      Ports ports;
      RETURN_IF_ERROR(ReadLayer(node, layer, ports));
      ASSIGN_OR_RETURN(layer.bodies, ReadBodies(node, ports, depth_));
      if (!places_.emplace(layer.id, layers_.size()).second)
        return Malformed(absl::StrCat("the id ", layer.id, " occurs twice"));
      if (!names_.insert(layer.name).second)
        return Malformed("the name " + PrintableStart(layer.name) + " occurs twice");
      layers_.push_back(std::move(layer));
      ports_.push_back(std::move(ports));
    }
    readers_.resize(layers_.size());
    num_sources_.resize(layers_.size());
    sources_.resize(layers_.size());
    return absl::OkStatus();
  }

  absl::Status ReadEdges(const pugi::xml_node& edges) {
    for (const pugi::xml_node edge : edges.children("edge")) {
      ASSIGN_OR_RETURN(const int64_t from, IntOf(edge, "from-layer"));
      ASSIGN_OR_RETURN(const int64_t from_port, IntOf(edge, "from-port"));
      ASSIGN_OR_RETURN(const int64_t to, IntOf(edge, "to-layer"));
      ASSIGN_OR_RETURN(const int64_t to_port, IntOf(edge, "to-port"));
      const auto source = places_.find(from), target = places_.find(to);
      if (source == places_.end() || target == places_.end())
        return Malformed(
            absl::StrCat("an edge joins layers ", from, " and ", to, ", not both of which there are"));
      const auto output = ports_[source->second].outputs.find(from_port);
      const auto input = ports_[target->second].inputs.find(to_port);
      if (output == ports_[source->second].outputs.end() || input == ports_[target->second].inputs.end())
        return Malformed(absl::StrCat("an edge joins port ", from_port, " of layer ", from, " and port ",
                                      to_port, " of layer ", to, ", not both of which there are"));
      std::string& value = layers_[target->second].inputs[input->second];
      if (!value.empty())
        return Malformed(Named(layers_[target->second]) + absl::StrCat(": two edges reach port ", to_port));
      const IrOutput& from_output = layers_[source->second].outputs[output->second];
      RETURN_IF_ERROR(CheckEnds(from_output, ports_[target->second].input_dims[input->second], edge));
      value = from_output.value;
      readers_[source->second].push_back(target->second);
      sources_[target->second].push_back(source->second);
    }
    return absl::OkStatus();
  }

  // The layers that results need, each after those that it reads, else in the order of the file.
  absl::StatusOr<std::vector<IrLayer>> Ordered() && {
    std::vector<bool> needed(layers_.size(), false);
    std::vector<size_t> open;
    for (size_t i = 0; i < layers_.size(); ++i) {
      if (layers_[i].type == "Result" || layers_[i].type == "Assign" || layers_[i].type == "Parameter")
        open.push_back(i);
    }
    while (!open.empty()) {
      const size_t i = open.back();
      open.pop_back();
      if (needed[i]) continue;
      needed[i] = true;
      open.insert(open.end(), sources_[i].begin(), sources_[i].end());
    }
    std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
    size_t num_needed = 0;
    for (size_t i = 0; i < layers_.size(); ++i) {
      num_sources_[i] = sources_[i].size();
      num_needed += needed[i] ? 1 : 0;
      if (needed[i] && num_sources_[i] == 0) ready.push(i);
    }
    std::vector<IrLayer> ordered;
    while (!ready.empty()) {
      const size_t i = ready.top();
      ready.pop();
      for (const size_t reader : readers_[i]) {
        if (--num_sources_[reader] == 0 && needed[reader]) ready.push(reader);
      }
      ordered.push_back(std::move(layers_[i]));
    }
    if (ordered.size() == num_needed) return ordered;
    return Malformed("layers read each other in a circle");
  }

 private:
  const int depth_;
  std::vector<IrLayer> layers_;
  std::vector<Ports> ports_;
  std::vector<std::vector<size_t>> readers_, sources_;  // by layer, once for each edge
  std::vector<size_t> num_sources_;
  std::map<int64_t, size_t> places_;  // by id
  std::set<std::string> names_;
};

absl::StatusOr<std::vector<IrLayer>> ReadGraph(const pugi::xml_node& net, int depth) {
  RETURN_IF_ERROR(CheckStatedOnce(net, {"layers", "edges", "pre-process"}));
  Reader reader(depth);
  RETURN_IF_ERROR(reader.ReadLayers(net.child("layers")));
  RETURN_IF_ERROR(reader.ReadEdges(net.child("edges")));
  return std::move(reader).Ordered();
}

absl::StatusOr<std::optional<IrPreprocessing>> ReadPreprocessing(const pugi::xml_node& node) {
  if (!node) return std::nullopt;
  IrPreprocessing read = {.input = node.attribute("reference-layer-name").value(),
                          .precision = node.attribute("mean-precision").value()};
  for (const pugi::xml_node child : node.children("channel")) {
    IrChannel channel;
    ASSIGN_OR_RETURN(channel.id, IntOf(child, "id"));
    const auto number = [&](const char* name, float& value) -> absl::Status {
      const pugi::xml_attribute attribute = child.child(name).attribute("value");
      if (!attribute) return absl::OkStatus();
      ASSIGN_OR_RETURN(const std::vector<float> numbers, ParseFloats(attribute.value()));
      if (numbers.size() != 1) return Malformed("a mean or a scale of an input is not one number");
      value = numbers[0];
      return absl::OkStatus();
    };
    RETURN_IF_ERROR(number("mean", channel.mean));
    RETURN_IF_ERROR(number("scale", channel.scale));
    if (const pugi::xml_node mean = child.child("mean"); mean.attribute("offset")) {
      ASSIGN_OR_RETURN(const int64_t offset, IntOf(mean, "offset"));
      ASSIGN_OR_RETURN(const int64_t size, IntOf(mean, "size"));
      channel.image = {offset, size};
    }
    read.channels.push_back(channel);
  }
  if (read.channels.empty()) return std::nullopt;
  return read;
}

}  // namespace

bool IsSameType(std::string_view a, std::string_view b) {
  return absl::EqualsIgnoreCase({a.data(), a.size()}, {b.data(), b.size()});
}

absl::StatusOr<std::vector<int64_t>> ParseInts(std::string_view text) { return ParseList(text, ParseInt); }

absl::StatusOr<std::vector<float>> ParseFloats(std::string_view text) {
  return ParseList(text, [](std::string_view word) -> absl::StatusOr<float> {
    float number = 0;
    if (absl::SimpleAtof({word.data(), word.size()}, &number) && !std::isnan(number)) {
      constexpr float kMost = std::numeric_limits<float>::max();  // an infinity is no bound
      return std::clamp(number, -kMost, kMost);
    }
    return Malformed(PrintableStart(word) + " is not a number");
  });
}

absl::StatusOr<IrFile> ReadIrFile(std::span<const uint8_t> bytes) {
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(
      bytes.data(), bytes.size(), pugi::parse_default | pugi::parse_doctype, pugi::encoding_utf8);
  if (!parsed) return Malformed(absl::StrCat("the file is not XML: ", parsed.description()));
  RETURN_IF_ERROR(CheckAttributes(document));
  RETURN_IF_ERROR(CheckStatedOnce(document, {"net"}));
  const pugi::xml_node net = document.child("net");
  if (!net) return Malformed("the file has no element <net>");
  IrFile file;
  file.name = net.attribute("name").value();
  ASSIGN_OR_RETURN(file.version, IntOf(net, "version"));
  if (file.version != 10 && file.version != 11) {
    return MakeError(
        label::model_unsupported_type,
        absl::StrCat("IR of version ", file.version, "; 10 and 11 are read: convert the model again"));
  }
  ASSIGN_OR_RETURN(file.preprocessing, ReadPreprocessing(net.child("pre-process")));
  ASSIGN_OR_RETURN(file.layers, ReadGraph(net, 0));
  return file;
}

}  // namespace tally::openvino
