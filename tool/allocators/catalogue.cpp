// SPDX-License-Identifier: Apache-2.0
#include "catalogue.hpp"

#include <array>

namespace linn::tool {
namespace {

using namespace std::string_view_literals;

constexpr std::array jemalloc_names{"libjemalloc.so.2"sv};
constexpr std::array mimalloc_names{"libmimalloc.so.3"sv, "libmimalloc.so.2"sv};
constexpr std::array tcmalloc_names{"libtcmalloc_minimal.so.4"sv, "libtcmalloc.so.4"sv};
// The proxy replaces malloc and operator new; libtbbmalloc.so itself only offers functions of its own.
constexpr std::array tbb_names{"libtbbmalloc_proxy.so.2"sv};

constexpr std::array catalogue{
    known_allocator{"jemalloc", jemalloc_names, "libjemalloc2"},
    known_allocator{"mimalloc", mimalloc_names, "libmimalloc2.0"},
    known_allocator{"tcmalloc", tcmalloc_names, "libtcmalloc-minimal4"},
    known_allocator{"tbb", tbb_names, "libtbbmalloc2"},
};

} // namespace

std::span<const known_allocator> known_allocators() noexcept {
    return catalogue;
}

const known_allocator* find_known_allocator(std::string_view name) noexcept {
    for (const known_allocator& a : catalogue)
        if (a.name == name)
            return &a;
    return nullptr;
}

} // namespace linn::tool
