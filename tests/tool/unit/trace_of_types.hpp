// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "try/candidates.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace linn::tool::testing {

inline constexpr std::uint32_t shop = 0;
inline constexpr std::uint32_t runtime_library = 1;

/// A type with one call, and a pool of its own.
inline try_candidate made_candidate(const std::string& label, unsigned size, std::uint64_t offset) {
    try_candidate c;
    c.label = label;
    c.types = {label};
    c.pools = {{.name = label, .peak_live = 100}};
    plan_site site;
    site.pool = label;
    site.size = size;
    site.call = {"shop", offset, std::vector<unsigned char>(16, 0x90)};
    c.sites = {site};
    c.allocations = 1000;
    return c;
}

/// A trace, put together type by type.
struct trace_of_types {
    advice a;

    trace_of_types() {
        a.analysis.info.modules = {{"/bin/shop", "0102"}, {"/lib/libother.so", "0a0b"}};
        a.analysis.info.stacks.resize(1);
    }

    /// `stack`: return addresses, innermost first.
    advised_type& add(const std::string& name, std::vector<code_address> stack, std::uint64_t size,
                      std::uint64_t count, allocation_call call = allocation_call::operator_new) {
        analysed_site site;
        site.stack = static_cast<std::uint32_t>(a.analysis.info.stacks.size());
        site.call = call;
        site.statistics.allocations = site.statistics.releases = count;
        site.statistics.sizes = {{size, count}};
        a.analysis.info.stacks.push_back(std::move(stack));
        a.analysis.sites.push_back(site);
        a.analysis.all.merge(site.statistics);
        const auto index = static_cast<std::uint32_t>(a.analysis.sites.size() - 1);
        for (advised_type& known : a.types) {
            if (known.name == name) {
                known.statistics.merge(site.statistics);
                known.places.front().sites.push_back(index);
                return known;
            }
        }
        advised_type& type = a.types.emplace_back();
        type.name = name;
        type.statistics = site.statistics;
        advised_place place;
        place.frame = {"make", "/home/me/" + name + ".cpp", 7, 1, false};
        place.sites = {index};
        type.places.push_back(place);
        return type;
    }

    try_candidates find(const candidate_options& options = {}, std::optional<unsigned> stack = 24) {
        for (advised_type& type : a.types) {
            type.share = static_cast<double>(type.statistics.allocations) /
                         static_cast<double>(a.analysis.all.allocations);
        }
        code_reader code;
        code.module = [](const std::filesystem::path& file) -> std::optional<plan_module> {
            if (file == "/bin/shop") {
                return plan_module{"shop", {1, 2}};
            }
            return plan_module{"libother.so", {0x0a, 0x0c}}; // another build
        };
        code.call = [](const std::filesystem::path& file, std::uint64_t offset) -> std::optional<plan_call> {
            return plan_call{file.filename().string(), offset, std::vector<unsigned char>(16, 0x90)};
        };
        code.stack = [stack](const std::filesystem::path&, std::uint64_t) { return stack; };
        return find_candidates(a, options, code);
    }
};

} // namespace linn::tool::testing
