// SPDX-License-Identifier: Apache-2.0
#include "litter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <stdexcept>

namespace linn::tool {
namespace {

constexpr std::size_t most_sizes = 512;
constexpr std::uint64_t block_overhead = 16; // of most allocators, for the bounds

} // namespace

std::vector<probe::litter_size> litter_of(const trace_analysis& analysis) {
    std::map<std::uint64_t, double> live; // by size: blocks at the peak
    for (const analysed_site& site : analysis.sites) {
        const site_statistics& s = site.statistics;
        for (const auto& [size, count] : s.sizes) {
            if (size != 0 && size <= largest_litter && s.allocations != 0) {
                live[size] += static_cast<double>(s.peak_live) * static_cast<double>(count) /
                              static_cast<double>(s.allocations);
            }
        }
    }
    double bytes = 0;
    for (const auto& [size, blocks] : live) {
        bytes += blocks * static_cast<double>(size + block_overhead);
    }
    if (bytes <= 0) {
        return {};
    }
    const double factor = std::clamp(bytes * litter_factor, static_cast<double>(least_litter_bytes),
                                     static_cast<double>(most_litter_bytes)) /
                          bytes;
    std::vector<probe::litter_size> sizes;
    for (const auto& [size, blocks] : live) {
        if (const double wanted = std::round(blocks * factor); wanted >= 1) {
            sizes.push_back({static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(wanted)});
        }
    }
    std::stable_sort(sizes.begin(), sizes.end(),
                     [](const auto& a, const auto& b) { return a.blocks > b.blocks; });
    sizes.resize(std::min(sizes.size(), most_sizes));
    return sizes;
}

void write_litter(const std::vector<probe::litter_size>& sizes, const std::filesystem::path& file) {
    std::ofstream out{file, std::ios::binary};
    out.write(reinterpret_cast<const char*>(sizes.data()),
              static_cast<std::streamsize>(sizes.size() * sizeof(probe::litter_size)));
    out.close();
    if (!out) {
        throw std::runtime_error{fmt::format("cannot write {}", file.string())};
    }
    std::filesystem::permissions(file,
                                 std::filesystem::perms::others_read | std::filesystem::perms::group_read,
                                 std::filesystem::perm_options::add);
}

} // namespace linn::tool
