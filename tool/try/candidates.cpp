// SPDX-License-Identifier: Apache-2.0
#include "candidates.hpp"

#include "../advise/type_groups.hpp"
#include "../measure/quantity.hpp"
#include "../pools/compiled_plan.hpp"
#include "../symbols/call_chain.hpp"
#include "../symbols/cxx_name.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

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
    std::ranges::stable_sort(sizes, [](const auto& a, const auto& b) { return a.blocks > b.blocks; });
    sizes.resize(std::min(sizes.size(), most_sizes));
    return sizes;
}

void write_litter(const std::vector<probe::litter_size>& sizes, const std::filesystem::path& file) {
    write_file(file,
               {reinterpret_cast<const char*>(sizes.data()), sizes.size() * sizeof(probe::litter_size)});
    std::filesystem::permissions(file,
                                 std::filesystem::perms::others_read | std::filesystem::perms::group_read,
                                 std::filesystem::perm_options::add);
}

namespace {

constexpr double least_covered = 0.5; // of a type's allocations

/// Of so many allocations less than one is rare: a size, or a block that is freed in a way that the recorder did not see.
constexpr std::uint64_t rare = 1000;
constexpr double clear_majority = 0.99; // of a call's allocations of one size: it is one type's
constexpr std::size_t no_type = ~std::size_t{0};

bool is_aligned(allocation_call call) {
    return call == allocation_call::aligned || call == allocation_call::operator_new_aligned ||
           call == allocation_call::operator_new_array_aligned;
}

/// Allocations of one size by one call, or by one call of a wrapper: return addresses from the inside, and the size.
using call_key = std::pair<std::vector<code_address>, std::uint64_t>;

/// What one call allocates, by the number of the type.
struct owners {
    std::map<std::size_t, std::uint64_t> by_type;
    std::uint64_t all = 0;
    std::vector<std::uint32_t> sites; ///< whose blocks a plan can serve

    /// Nearly all of it is one type's.
    bool belongs_to(std::size_t type) const {
        const auto mine = by_type.find(type);
        return mine != by_type.end() &&
               static_cast<double>(mine->second) >= clear_majority * static_cast<double>(all);
    }
};

/// Which types a trace's calls allocate.
class call_owners {
public:
    explicit call_owners(const advice& a) : a_{a} {
        std::vector<std::size_t> type_of(a.analysis.sites.size(), no_type);
        for (std::size_t i = 0; i != a.types.size(); ++i) {
            for (const advised_place& place : a.types[i].places) {
                for (const std::uint32_t site : place.sites) {
                    type_of[site] = i;
                }
            }
        }
        for (std::uint32_t i = 0; i != type_of.size(); ++i) {
            const std::vector<code_address>& stack = stack_of(i);
            for (const auto& [size, count] : a.analysis.sites[i].statistics.sizes) {
                for (std::size_t depth = 1; depth <= std::min<std::size_t>(stack.size(), 2); ++depth) {
                    owners& call = calls_[key_of(stack, depth, size)];
                    call.by_type[type_of[i]] += count;
                    call.all += count;
                    if (!is_aligned(a.analysis.sites[i].call)) {
                        call.sites.push_back(i);
                    }
                }
            }
        }
    }

    /// Of the innermost call of a stack, or, with depth 2, of that where its caller is called. @pre the stack has so many
    const owners& of(const std::vector<code_address>& stack, std::size_t depth, std::uint64_t size) const {
        return calls_.at(key_of(stack, depth, size));
    }
    const std::map<call_key, owners>& all() const { return calls_; }
    const std::vector<code_address>& stack_of(std::size_t site) const {
        static const std::vector<code_address> nothing;
        const std::uint32_t stack = a_.analysis.sites[site].stack;
        return stack < a_.analysis.info.stacks.size() ? a_.analysis.info.stacks[stack] : nothing;
    }

private:
    static call_key key_of(const std::vector<code_address>& stack, std::size_t depth, std::uint64_t size) {
        return {{stack.begin(), stack.begin() + static_cast<std::ptrdiff_t>(depth)}, size};
    }

    const advice& a_;
    std::map<call_key, owners> calls_;
};

class finder {
public:
    finder(const advice& a, const candidate_options& options, const code_reader& code)
        : a_{a},
          options_{options},
          code_{code},
          owners_{a} {}

    try_candidates find() {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i != a_.types.size(); ++i) {
            if (is_wanted(a_.types[i])) {
                order.push_back(i);
            }
        }
        // A plan has no room for everything.
        std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) {
            const site_statistics& s = a_.types[i].statistics;
            return std::pair{time_of(s), s.allocations};
        });
        for (const std::size_t i : order) {
            take(i);
        }
        take_shared();
        if (options_.wants_litter) {
            found_.litter = litter_of(a_.analysis);
        }
        found_.is_selection = !options_.types.empty();
        found_.lacks_events = !a_.analysis.info.missing.empty();
        return std::move(found_);
    }

private:
    /// Of the type at hand; gone with it when it is left out.
    struct type_at_hand {
        std::uint64_t covered = 0;                       // allocations that have a site
        std::map<std::string, std::uint64_t> why_missed; // allocations by reason
        bool is_missed_by_sharing = false;               // some, because others share their call
        std::map<std::uint64_t, std::string> pools_by_slot;
    };

    /// 0: it is not known.
    double time_of(const site_statistics& s) const {
        return a_.analysis.time.is_known() ? s.time.share().value : 0;
    }

    bool is_wanted(const advised_type& type) const {
        const std::string label = label_of(type);
        return options_.types.empty() || std::ranges::any_of(options_.types, [&](const std::string& part) {
                   return label.find(part) != std::string::npos || part == type.named.blocks.address;
               });
    }

    void leave_out(const advised_type& type, std::string reason) {
        if (type.share >= told_share || !options_.types.empty()) {
            found_.left_out.push_back(
                {label_of(type), std::move(reason), type.share, type.named.blocks.address});
        }
    }

    void take(std::size_t index) {
        const advised_type& type = a_.types[index];
        const site_statistics& s = type.statistics;
        if (!type.runtime.empty() || s.allocations == 0) {
            return;
        }
        if (s.unseen_releases * rare > s.allocations) {
            return leave_out(type, fmt::format("{} of its {} {} freed in a way that the recorder did not see",
                                               s.unseen_releases, figures::counted(s.allocations, "block"),
                                               figures::agreeing(s.unseen_releases, "was", "were")));
        }
        now_ = {};
        try_candidate c;
        c.label = label_of(type);
        c.types = {c.label};
        c.allocations = s.allocations;
        c.share = type.share;
        c.time_share = time_of(s);
        c.addresses = {type.named.blocks.address};
        for (const advised_place& place : type.places) {
            for (const std::uint32_t site : place.sites) {
                add_sites(c, index, site, place);
            }
        }
        if (static_cast<double>(now_.covered) < least_covered * static_cast<double>(s.allocations)) {
            if (now_.is_missed_by_sharing) {
                sharing_[index] = most_frequent_reason();
                return;
            }
            return leave_out(type, most_frequent_reason());
        }
        if (sites_ + c.sites.size() > most_planned_sites) {
            return leave_out(type, "a plan has no room for it");
        }
        for (const plan_pool& pool : c.pools) {
            names_.insert(pool.name);
        }
        sites_ += c.sites.size();
        found_.list.push_back(std::move(c));
    }

    void add_sites(try_candidate& c, std::size_t type, std::uint32_t site, const advised_place& place) {
        const analysed_site& here = a_.analysis.sites[site];
        const std::vector<code_address>& stack = owners_.stack_of(site);
        for (const auto& [size, count] : here.statistics.sizes) {
            if (count * rare < c.allocations) {
                continue;
            }
            std::string why = why_no_site(c, type, here, stack, size, count, place);
            if (why.empty()) {
                now_.covered += count;
            } else {
                now_.why_missed[std::move(why)] += count;
            }
        }
    }

    /// Adds the site, or says why there is none.
    std::string why_no_site(try_candidate& c, std::size_t type, const analysed_site& here,
                            const std::vector<code_address>& stack, std::uint64_t size, std::uint64_t count,
                            const advised_place& place) {
        if (is_aligned(here.call)) {
            return "its blocks are over-aligned";
        }
        if (size == 0 || size > largest_planned_size) {
            return fmt::format("its blocks are larger than {} bytes", largest_planned_size);
        }
        if (stack.empty()) {
            return "the trace has no stack of its allocations";
        }
        plan_site s;
        s.size = static_cast<unsigned>(size);
        const owners& mine = owners_.of(stack, 1, size);
        if (std::string why = read_call(stack[0], s.call); !why.empty()) {
            return why;
        }
        if (!mine.belongs_to(type)) {
            const std::string& name = a_.analysis.info.modules[stack[0].module].path;
            const std::string shared =
                "other types of its size come from the same call, at " + address_of(s.call);
            if (stack.size() < 2 || !owners_.of(stack, 2, size).belongs_to(type)) {
                now_.is_missed_by_sharing = true;
                return shared;
            }
            const std::optional<unsigned> offset = code_.stack(name, stack[0].address);
            if (!offset) {
                now_.is_missed_by_sharing = true;
                return shared + ", whose caller lies at no constant place of the stack";
            }
            s.stack = *offset;
            s.caller.emplace();
            if (std::string why = read_call(stack[1], *s.caller); !why.empty()) {
                return why;
            }
        }
        const auto is_same = [&](const plan_site& other) {
            return other.call == s.call && other.caller == s.caller && other.size == s.size;
        };
        auto found = std::ranges::find_if(c.sites, is_same);
        if (found == c.sites.end()) { // else another stack of the same call, whose blocks may grow otherwise
            s.pool = pool_of(c, s.size, here.statistics);
            s.note = place_text(place.frame);
            found = c.sites.insert(found, std::move(s));
        }
        std::ranges::find(c.pools, found->pool, &plan_pool::name)->peak_live +=
            a_.types[type].statistics.peak_live * count / c.allocations;
        return {};
    }

    /// Types of one size that one call allocates, such as that of an allocation function of C, have one pool, if none of them has one
    /// by its caller. Most allocations first.
    void take_shared() {
        struct shared_call {
            const std::pair<const call_key, owners>* call;
            std::uint64_t theirs; ///< allocations of types that share
        };
        std::vector<shared_call> order;
        for (const auto& call : owners_.all()) {
            const auto& [stack, size] = call.first;
            std::uint64_t theirs = 0;
            for (const auto& [type, count] : call.second.by_type) {
                theirs += sharing_.contains(type) ? count : 0;
            }
            if (stack.size() == 1 && size != 0 && size <= largest_planned_size && theirs != 0) {
                order.push_back({&call, theirs});
            }
        }
        std::ranges::stable_sort(order, std::greater{}, &shared_call::theirs);
        std::map<std::size_t, std::uint64_t> served; // by type
        for (const shared_call& one : order) {
            if (take_shared(one.call->first, one.call->second)) {
                for (const auto& [type, count] : one.call->second.by_type) {
                    served[type] += count;
                }
            }
        }
        std::ranges::stable_sort(found_.list, std::greater{}, [](const try_candidate& c) {
            return std::pair{c.time_share, c.allocations};
        });
        for (auto& [type, why] : sharing_) {
            const advised_type& t = a_.types[type];
            if (static_cast<double>(served[type]) <
                least_covered * static_cast<double>(t.statistics.allocations)) {
                leave_out(t, std::move(why));
            }
        }
    }

    bool take_shared(const call_key& key, const owners& call) {
        const auto all = static_cast<double>(a_.analysis.all.allocations);
        plan_site s;
        s.size = static_cast<unsigned>(key.second);
        if (call.sites.empty() || sites_ == most_planned_sites || !read_call(key.first[0], s.call).empty()) {
            return false;
        }
        const auto is_of_call = [&](const plan_site& other) {
            return other.call.module == s.call.module && other.call.offset == s.call.offset &&
                   other.size == s.size;
        };
        if (std::ranges::any_of(found_.list, [&](const try_candidate& c) {
                return std::ranges::any_of(c.sites, is_of_call);
            })) {
            return false;
        }
        try_candidate c;
        const std::string address = address_of(s.call);
        c.label = fmt::format("{} at {}", blocks_of_sizes(s.size, s.size), address);
        for (const auto& [type, count] : call.by_type) {
            if (sharing_.contains(type)) {
                c.types.push_back(label_of(a_.types[type]));
                c.addresses.push_back(address);
            }
        }
        c.allocations = call.all;
        c.share = static_cast<double>(call.all) / all;
        const site_statistics* largest = nullptr;
        std::uint64_t peak_live = 0; // at most
        for (const std::uint32_t site : call.sites) {
            const site_statistics& here = a_.analysis.sites[site].statistics;
            if (here.unseen_releases * rare > here.allocations) {
                return false;
            }
            largest = largest == nullptr || here.allocations > largest->allocations ? &here : largest;
            peak_live += here.peak_live;
            c.time_share += time_of(here);
        }
        now_ = {};
        s.pool = pool_of(c, s.size, *largest);
        names_.insert(s.pool);
        s.note = figures::counted(c.types.size(), "type");
        c.pools.back().peak_live = peak_live;
        c.sites.push_back(std::move(s));
        ++sites_;
        found_.list.push_back(std::move(c));
        return true;
    }

    /// What is at the return address now; says what is wrong with it.
    std::string read_call(const code_address& at, plan_call& into) {
        if (at.module >= a_.analysis.info.modules.size()) {
            return "its allocations come from code of no file";
        }
        const trace_module& recorded = a_.analysis.info.modules[at.module];
        if (std::string why = why_no_module(recorded); !why.empty()) {
            return why;
        }
        std::optional<plan_call> call = code_.call(recorded.path, at.address);
        if (!call) {
            return fmt::format("{} has no code at {:#x}", recorded.path, at.address);
        }
        into = std::move(*call);
        return {};
    }

    std::string why_no_module(const trace_module& recorded) {
        const auto [known, is_new] = modules_.try_emplace(recorded.path + '\n' + recorded.build_id);
        if (is_new) {
            known->second = add_module(recorded);
        }
        return known->second;
    }

    std::string add_module(const trace_module& recorded) {
        std::optional<plan_module> module = code_.module(recorded.path);
        if (!module) {
            return fmt::format("{} cannot be read", recorded.path);
        }
        if (fmt::format("{:02x}", fmt::join(module->build_id, "")) != recorded.build_id) {
            return fmt::format("{} is another build than the recorded one", recorded.path);
        }
        const auto same = std::ranges::find_if(found_.modules,
                                               [&](const plan_module& m) { return m.name == module->name; });
        if (same == found_.modules.end() && found_.modules.size() < most_planned_modules) {
            found_.modules.push_back(std::move(*module));
        } else if (same == found_.modules.end() || *same != *module) {
            return fmt::format("a plan cannot name {} together with the other modules", recorded.path);
        }
        return {};
    }

    static std::uint64_t slot_for(std::uint64_t size, const site_statistics& s) {
        return preloaded_slot_bytes(std::max(size, room_for_growth(size, s)));
    }

    /// One pool a slot size: sizes that differ waste no memory.
    std::string pool_of(try_candidate& c, unsigned size, const site_statistics& s) {
        const std::uint64_t slot = slot_for(size, s);
        if (const auto known = now_.pools_by_slot.find(slot); known != now_.pools_by_slot.end()) {
            return known->second;
        }
        std::string name = c.pools.empty() ? c.label : fmt::format("{}, {} bytes", c.label, slot);
        const auto is_taken = [&](const std::string& wanted) {
            return names_.contains(wanted) ||
                   std::ranges::find(c.pools, wanted, &plan_pool::name) != c.pools.end();
        };
        for (unsigned again = 2; is_taken(name); ++again) {
            name = fmt::format("{} ({})", c.label, again);
        }
        c.pools.push_back({.name = name, .room = static_cast<unsigned>(room_for_growth(size, s))});
        return now_.pools_by_slot[slot] = name;
    }

    std::string most_frequent_reason() const {
        const auto most = std::ranges::max_element(
            now_.why_missed, [](const auto& x, const auto& y) { return x.second < y.second; });
        return most == now_.why_missed.end() ? "its allocations have many sizes" : most->first;
    }

    const advice& a_;
    const candidate_options& options_;
    const code_reader& code_;
    call_owners owners_;
    type_at_hand now_;
    std::map<std::string, std::string> modules_; // why a module has no sites; empty: it may
    std::map<std::size_t, std::string> sharing_; // types without a call of their own, and why
    std::set<std::string> names_;                // of pools
    std::size_t sites_ = 0;
    try_candidates found_;
};

} // namespace

try_candidates find_candidates(const advice& a, const candidate_options& options, const code_reader& code) {
    return finder{a, options, code}.find();
}

unsigned slot_bytes(const pool_plan& plan, const plan_pool& pool) {
    unsigned largest = std::max(1u, pool.room);
    for (const plan_site& site : plan.sites) {
        if (site.pool == pool.name) {
            largest = std::max(largest, site.size);
        }
    }
    return (largest + pool.align - 1) / pool.align * pool.align;
}

} // namespace linn::tool
