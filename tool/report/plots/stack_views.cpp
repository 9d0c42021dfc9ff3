// SPDX-License-Identifier: Apache-2.0
#include "stack_views.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace linn::tool::html {
namespace {

using nlohmann::json;

constexpr std::size_t most_boxes = 400; // of the list that is there without the script
constexpr std::size_t frame_letters = 200;
constexpr std::uint32_t no_stack = ~std::uint32_t{0};

/// What the widths stand for; the script knows the places of bytes, allocations and temporary ones, which it has over time.
constexpr std::array<std::string_view, flame_measures> measures{
    "bytes allocated",       "allocations",          "bytes at the peak",
    "temporary allocations", "bytes never released", "CPU time in the allocator"};
constexpr const char* kinds = "bytes|count|bytes|count|bytes|time";
constexpr std::array units{unit::bytes, unit::count, unit::bytes,
                           unit::count, unit::bytes, unit::nanoseconds};

std::size_t measure_of(const trace_profile& profile, block_filter filter) {
    switch (filter) {
    case block_filter::all:
        return profile.analysis.time.is_known() ? 5 : 0;
    case block_filter::peak:
        return 2;
    case block_filter::temporary:
        return 3;
    case block_filter::leaks:
        return 4;
    }
    return 0;
}

using weights = std::array<std::uint64_t, flame_measures>;

weights weights_of(const trace_profile& profile, std::size_t site, bool keeps_runtime) {
    const auto counts = [&](block_filter f) { return counts_of(profile, site, f, keeps_runtime); };
    return {counts(block_filter::all).bytes,   counts(block_filter::all).blocks,
            counts(block_filter::peak).bytes,  counts(block_filter::temporary).blocks,
            counts(block_filter::leaks).bytes, allocator_ns(profile, site)};
}

std::string label_of(const profile_frame& f) {
    const std::string& where = f.file.empty() ? f.library : f.file;
    return shortened(where.empty() ? f.name : fmt::format("{} · {}", f.name, where), frame_letters);
}

/// The stacks with what the page needs of them; equal calls of different stacks have equal numbers.
class stack_table {
public:
    stack_table(const trace_profile& profile, bool keeps_runtime)
        : profile_{profile},
          stack_of_site_(profile.sites.size(), no_stack) {
        std::vector<weights> all;
        weights whole{};
        for (std::size_t i = 0; i != profile.sites.size(); ++i) {
            all.push_back(weights_of(profile, i, keeps_runtime));
            for (std::size_t m = 0; m != whole.size(); ++m) {
                whole[m] += all.back()[m];
            }
        }
        const std::vector<std::uint32_t> order = largest_first(all, whole);
        const std::size_t own = order.size() > most_page_stacks ? most_page_stacks - 1 : order.size();
        for (std::size_t i = 0; i != own; ++i) {
            stack_of_site_[order[i]] = static_cast<std::uint32_t>(stacks_.size());
            stacks_.push_back({node_of(profile.sites[order[i]]), all[order[i]]});
        }
        if (own != order.size()) {
            others_ = static_cast<std::uint32_t>(stacks_.size());
            stacks_.push_back(
                {node_below(0, frame_number(figures::counted(order.size() - own, "smaller stack"),
                                            "too small to be shown one by one", false)),
                 {}});
            for (std::size_t i = own; i != order.size(); ++i) {
                stack_of_site_[order[i]] = others_;
                for (std::size_t m = 0; m != whole.size(); ++m) {
                    stacks_.back().weight[m] += all[order[i]][m];
                }
            }
        }
    }

    markup data() {
        const json over_time = steps(); // may need one more stack
        json nodes = json::array();
        for (const auto& [frame, parent] : nodes_) {
            nodes.push_back(frame);
            nodes.push_back(parent);
        }
        json stacks = json::array();
        for (const stack& s : stacks_) {
            json one{s.node};
            for (const std::uint64_t w : s.weight) {
                one.push_back(w);
            }
            stacks.push_back(std::move(one));
        }
        const json all{{"frames", frames_},
                       {"nodes", nodes},
                       {"stacks", stacks},
                       {"step_ns", profile_.analysis.order.step_ns},
                       {"steps", over_time}};
        return element("data",
                       {{"hidden", "hidden"},
                        {"data-kinds", kinds},
                        {"value", all.dump(-1, ' ', false, json::error_handler_t::replace)}},
                       {});
    }

    /// The stacks merged, for those who see the page without the script.
    flame_node tree() const {
        flame_node root;
        root.label = "all stacks";
        const auto add = [](flame_node& to, const weights& w) {
            for (std::size_t m = 0; m != w.size(); ++m) {
                to.weight[m] += static_cast<double>(w[m]);
            }
        };
        for (const stack& s : stacks_) {
            flame_node* at = &root;
            add(root, s.weight);
            for (const std::uint32_t frame : frames_to(s.node)) {
                at = &child_of(*at, frames_[frame].at(0).get<std::string>());
                at->detail = frames_[frame].at(1).get<std::string>();
                at->style = frames_[frame].size() > 2 ? emphasis::ours : emphasis::none;
                add(*at, s.weight);
            }
        }
        sort_children(root);
        return root;
    }

private:
    struct stack {
        std::uint32_t node;
        weights weight;
    };

    /// The sites with any weight, by their largest share of the whole.
    static std::vector<std::uint32_t> largest_first(const std::vector<weights>& all, const weights& whole) {
        std::vector<double> share(all.size());
        std::vector<std::uint32_t> order;
        for (std::uint32_t i = 0; i != all.size(); ++i) {
            for (std::size_t m = 0; m != whole.size(); ++m) {
                if (all[i][m] != 0) {
                    share[i] =
                        std::max(share[i], static_cast<double>(all[i][m]) / static_cast<double>(whole[m]));
                }
            }
            if (share[i] > 0) {
                order.push_back(i);
            }
        }
        std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return share[a] != share[b] ? share[a] > share[b] : a < b;
        });
        return order;
    }

    std::uint32_t frame_number(const std::string& label, const std::string& detail, bool is_type) {
        const auto [at, is_new] =
            frame_numbers_.try_emplace({label, is_type}, static_cast<std::uint32_t>(frames_.size()));
        if (is_new) {
            frames_.push_back(is_type ? json{label, detail, 1} : json{label, detail});
        }
        return at->second;
    }

    /// The node 0 is the root; the others follow it, each after the one above it.
    std::uint32_t node_below(std::uint32_t parent, std::uint32_t frame) {
        const auto [at, is_new] =
            node_numbers_.try_emplace({frame, parent}, static_cast<std::uint32_t>(nodes_.size() + 1));
        if (is_new) {
            nodes_.emplace_back(frame, parent);
        }
        return at->second;
    }

    std::uint32_t node_of(const profile_site& site) {
        std::uint32_t node = 0;
        for (auto f = site.callers.rbegin(); f != site.callers.rend(); ++f) {
            node = node_below(node, frame_number(label_of(*f), f->folders + f->file, false));
        }
        return node_below(node,
                          frame_number(shortened(site.label, frame_letters), site.named.allocated, true));
    }

    std::vector<std::uint32_t> frames_to(std::uint32_t node) const {
        std::vector<std::uint32_t> frames;
        for (; node != 0; node = nodes_[node - 1].second) {
            frames.push_back(nodes_[node - 1].first);
        }
        std::reverse(frames.begin(), frames.end());
        return frames;
    }

    /// For each step four numbers a stack: its number, allocations, bytes and temporary ones.
    json steps() {
        json all = json::array();
        for (const std::vector<ordered_site>& step : profile_.analysis.order.steps) {
            std::vector<ordered_site> stacks; // by stacks, in the order of the sites
            std::map<std::uint32_t, std::size_t> places;
            for (const ordered_site& s : step) {
                const std::uint32_t number =
                    s.site < stack_of_site_.size() && stack_of_site_[s.site] != no_stack
                        ? stack_of_site_[s.site]
                        : other_stack();
                const auto [at, is_new] = places.try_emplace(number, stacks.size());
                if (is_new) {
                    stacks.push_back({number, 0, 0, 0});
                }
                ordered_site& sum = stacks[at->second];
                sum.allocations += s.allocations;
                sum.bytes += s.bytes;
                sum.temporary += s.temporary;
            }
            json numbers = json::array();
            for (const ordered_site& s : stacks) {
                for (const std::uint64_t n : {std::uint64_t{s.site}, s.allocations, s.bytes, s.temporary}) {
                    numbers.push_back(n);
                }
            }
            all.push_back(std::move(numbers));
        }
        return all;
    }

    /// The site of all stacks that are too small within a step; weighs nothing by itself where every stack is shown.
    std::uint32_t other_stack() {
        if (others_ == no_stack) {
            others_ = static_cast<std::uint32_t>(stacks_.size());
            stacks_.push_back({node_below(0, frame_number("smaller stacks of this time",
                                                          "too small to be shown one by one", false)),
                               {}});
        }
        return others_;
    }

    const trace_profile& profile_;
    std::vector<std::uint32_t> stack_of_site_;
    std::vector<stack> stacks_;
    std::vector<json> frames_; // label, detail, and 1 where it is a type
    std::map<std::pair<std::string, bool>, std::uint32_t> frame_numbers_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> nodes_; // frame and the node above
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> node_numbers_;
    std::uint32_t others_ = no_stack;
};

std::string tip_of(const flame_node& n, const flame_node& root) {
    std::string tip;
    for (std::size_t m = 0; m != measures.size(); ++m) {
        if (n.weight[m] > 0) {
            tip += fmt::format("{}{} {} ({})", tip.empty() ? "" : "\n", typeset(units[m], n.weight[m]),
                               measures[m], typeset(unit::share, n.weight[m] / root.weight[m]));
        }
    }
    return tip;
}

} // namespace

markup draw_stacks(const trace_profile& profile, block_filter filter, bool keeps_runtime) {
    stack_table table{profile, keeps_runtime};
    flame_node root = table.tree();
    if (root.children.empty()) {
        return {};
    }
    fold_flame(root, most_boxes);
    const flame_words words{{measures.begin(), measures.end()}, "allocations by call and type", tip_of};
    return draw(root, words, {table.data(), measure_of(profile, filter)});
}

} // namespace linn::tool::html
