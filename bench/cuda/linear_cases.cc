#include "bench/cuda/linear_cases.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "bench/models/residual_networks.h"

namespace tally::bench {
namespace {

LinearCase Product(std::string group, int64_t m, int64_t k, int64_t n, int count = 1) {
  return {std::move(group), absl::StrCat(m, "x", k, "x", n), MatmulShape{.m = m, .k = k, .n = n}, count};
}

std::vector<LinearCase> Squares() {
  std::vector<LinearCase> cases;
  for (const int64_t size : {1024, 2048, 4096, 8192}) cases.push_back(Product("square", size, size, size));
  return cases;
}

// Weights of a large language model, read for a few rows.
std::vector<LinearCase> Rows() {
  std::vector<LinearCase> cases;
  for (const int64_t n : {4096, 11008}) {
    for (const int64_t m : {1, 2, 4, 8, 16}) cases.push_back(Product("rows", m, 4096, n));
  }
  return cases;
}

// The products with weights of a layer: 128, 384 and 512 tokens, and 8 and 32 sentences of 128.
std::vector<LinearCase> Bert() {
  std::vector<LinearCase> cases;
  for (const auto& [name, hidden] : {std::pair("base", int64_t{768}), std::pair("large", int64_t{1024})}) {
    for (const int64_t m : {128, 384, 512, 8 * 128, 32 * 128}) {
      const std::string group = absl::StrCat("bert-", name, " ", m);
      cases.push_back(Product(group, m, hidden, hidden, 4));
      cases.push_back(Product(group, m, hidden, 4 * hidden));
      cases.push_back(Product(group, m, 4 * hidden, hidden));
    }
  }
  return cases;
}

std::string NameOf(const ConvShape& s) {
  return absl::StrCat(s.kernel, "x", s.kernel, s.stride > 1 ? absl::StrCat("/", s.stride) : "", " ",
                      s.in_channels, ">", s.out_channels, " @", s.height);
}

std::vector<LinearCase> ResNet50Convolutions() {
  const Cnn net = ResNet50({});
  std::vector<LinearCase> cases;
  for (const int64_t batch : {1, 8, 64}) {
    const std::string group = absl::StrCat("resnet50 ", batch);
    const size_t first = cases.size();
    for (const CnnLayer& layer : net.layers()) {
      if (layer.kind != CnnLayer::Kind::kConv) continue;
      ConvShape shape = layer.shape;
      shape.batch = batch;
      const auto same = std::find_if(cases.begin() + static_cast<std::ptrdiff_t>(first), cases.end(),
                                     [&](const auto& c) { return std::get<ConvShape>(c.shape) == shape; });
      if (same != cases.end()) {
        ++same->count;
      } else {
        cases.push_back({group, absl::StrCat("b", batch, " ", NameOf(shape)), shape});
      }
    }
  }
  return cases;
}

// Sizes that no tile divides, and more bands of rows than a grid likes.
std::vector<LinearCase> Ragged() {
  std::vector<LinearCase> cases = {Product("ragged", 8191, 4097, 2064), Product("ragged", 33, 4096, 4096),
                                   Product("ragged", 131072, 64, 256)};
  cases.push_back({"ragged", "5x5/2 24>40 @61",
                   ConvShape{.batch = 3,
                             .in_channels = 24,
                             .out_channels = 40,
                             .height = 61,
                             .width = 59,
                             .kernel = 5,
                             .stride = 2,
                             .pad = 2}});
  return cases;
}

}  // namespace

const std::vector<LinearPart>& LinearParts() {
  static const std::vector<LinearPart> parts = {
      {"products", "square products", Squares, false},
      {"rows", "1 to 16 rows by large weights", Rows, false},
      {"bert", "the products of BERT", Bert, true},
      {"convolutions", "the convolutions of ResNet-50, theirs as products of im2col", ResNet50Convolutions,
       true},
      {"ragged", "sizes for checks", Ragged, false}};
  return parts;
}

}  // namespace tally::bench
