// The constants of the binary form of a module (docs/spec/binary.md).
#pragma once

#include <array>
#include <cstdint>

namespace tally {

// Damage by a text-mode transfer shows in the magic already: a lost eighth bit changes the first byte, a
// translated line end the last two.
inline constexpr std::array<uint8_t, 8> kModuleMagic = {0x89, 't', 'a', 'l', 'l', 'y', '\r', '\n'};

inline constexpr uint8_t kModuleFormatVersion = 1;

// A file holds each section once, in this order. Constant data comes last, so that everything else of a
// mapped file is in its first pages.
enum class SectionId : uint8_t { kFunctions = 1, kConstants = 2, kMetadata = 3, kData = 4 };

// In a constant's first byte, with its storage: the constant is given by a recipe.
inline constexpr uint8_t kRecipeFlag = 4;

}  // namespace tally
