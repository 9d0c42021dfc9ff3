// SPDX-License-Identifier: Apache-2.0
#include "catalogue.hpp"

#include <array>
#include <cstdlib>

namespace linn::tool {
namespace {

using namespace std::string_view_literals;

constexpr std::array both_mimallocs{"mimalloc2"sv, "mimalloc3"sv};
constexpr std::array the_c_library{"glibc"sv};
constexpr std::array aliases{"mimalloc"sv, "ptmalloc"sv};

} // namespace

std::span<const known_allocator> known_allocators() noexcept {
    static const std::vector<known_allocator> all = registered<known_allocator>::in_order();
    return all;
}

const known_allocator* find_known_allocator(std::string_view name) noexcept {
    for (const known_allocator& a : known_allocators()) {
        if (a.name == name) {
            return &a;
        }
    }
    return nullptr;
}

std::span<const std::string_view> alias_names() noexcept {
    return aliases;
}

std::span<const std::string_view> names_meant_by(std::string_view name) noexcept {
    if (name == "mimalloc") {
        return both_mimallocs;
    }
    if (name == "ptmalloc") {
        return the_c_library;
    }
    const known_allocator* known = find_known_allocator(name);
    return known == nullptr ? std::span<const std::string_view>{} : std::span{&known->name, 1};
}

std::vector<std::string> glibc_keeps_heap() {
    // 4 GiB, and 32 MiB: the largest threshold for mappings that glibc accepts. Setting one of them ends glibc's own
    // adjustment of both.
    return {"MALLOC_TRIM_THRESHOLD_=4294967296", "MALLOC_MMAP_THRESHOLD_=33554432"};
}

std::string glibc_asks_for_huge_pages() {
    const char* const others = std::getenv("GLIBC_TUNABLES");
    return std::string{"GLIBC_TUNABLES="} +
           (others != nullptr && *others != 0 ? others + std::string{":"} : "") + "glibc.malloc.hugetlb=1";
}

} // namespace linn::tool
