// The operands that the models refuse, as processors do: a kernel that does so would end in a fault.
#include <gtest/gtest.h>
#include <immintrin.h>

#include <array>

namespace tally {
namespace {

using Config = std::array<uint8_t, 64>;

// Every tile of 16 rows of 64 bytes.
Config Whole() {
  Config config = {1};
  for (int tile = 0; tile < 8; ++tile) config[16 + 2 * tile] = 64, config[48 + tile] = 16;
  return config;
}
Config With(Config config, int at, uint8_t byte) {
  config[at] = byte;
  return config;
}

TEST(Refusals, OfTilesThatAreNotConfigured) {
  _tile_release();
  EXPECT_DEATH(_tile_zero(0), "tiles are not configured");
  EXPECT_DEATH((_tile_loadconfig(With(With(Whole(), 16, 0), 48, 0).data()), _tile_zero(0)),
               "the tile is not configured");
  EXPECT_DEATH((_tile_loadconfig(Whole().data()), _tile_release(), _tile_zero(0)),
               "tiles are not configured");
  EXPECT_DEATH((_tile_loadconfig(Whole().data()), _tile_zero(8)), "no such tile");
}

TEST(Refusals, OfConfigurations) {
  EXPECT_DEATH(_tile_loadconfig(With(Whole(), 0, 2).data()), "no such palette");
  EXPECT_DEATH(_tile_loadconfig(With(Whole(), 2, 1).data()), "reserved byte");
  EXPECT_DEATH(_tile_loadconfig(With(Whole(), 32, 1).data()), "reserved byte");
  EXPECT_DEATH(_tile_loadconfig(With(Whole(), 16, 65).data()), "too large");
  EXPECT_DEATH(_tile_loadconfig(With(Whole(), 48, 17).data()), "too large");
  EXPECT_DEATH(_tile_loadconfig(With(Whole(), 48, 0).data()), "rows or columns alone");
}

TEST(Refusals, OfProductsOfTiles) {
  EXPECT_DEATH((_tile_loadconfig(Whole().data()), _tile_dpbssd(0, 1, 1)), "used twice");
  EXPECT_DEATH((_tile_loadconfig(Whole().data()), _tile_dpbssd(0, 0, 1)), "used twice");
  EXPECT_DEATH((_tile_loadconfig(With(Whole(), 16, 62).data()), _tile_dpbssd(0, 1, 2)), "parts of words");
  EXPECT_DEATH((_tile_loadconfig(With(Whole(), 48, 15).data()), _tile_dpbssd(0, 1, 2)), "do not match");
  EXPECT_DEATH((_tile_loadconfig(With(Whole(), 16, 60).data()), _tile_dpbssd(0, 1, 2)), "do not match");
  EXPECT_DEATH((_tile_loadconfig(With(Whole(), 18, 60).data()), _tile_dpbssd(0, 1, 2)), "do not match");
}

TEST(Refusals, OfAccessesThatMustBeAligned) {
  alignas(64) uint8_t bytes[128] = {};
  EXPECT_DEATH(_mm512_store_si512(bytes, _mm512_load_si512(bytes + 32)), "not aligned");
  EXPECT_DEATH(_mm512_store_si512(bytes + 4, _mm512_setzero_si512()), "not aligned");
  _mm512_store_si512(bytes, _mm512_load_si512(bytes + 64));
}

}  // namespace
}  // namespace tally
