// SPDX-License-Identifier: Apache-2.0
#include "sites.hpp"

#include "../../interpose/mapped_file.hpp"
#include "../../measure/words.hpp"

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <unistd.h>

#include <bit>
#include <cstdio>
#include <cstring>

namespace linn::tool::pools {

constinit const char* const mode_names[4] = {"on", "off", "empty", "sizes"};
static_assert(has_enumerators<pool_mode, std::size(mode_names)>);

namespace {

constinit const std::atomic<std::uint64_t> nothing[1]{};

/// An index with what belongs to its entries.
struct growing_index {
    site_index index{nothing, 63, 0};
    std::atomic<std::uint64_t>* live = nullptr;
    std::atomic<std::uint16_t>* more = nullptr; ///< of each entry: where a wrapper's caller is, or the site
    std::atomic<std::uint32_t> used{0};         ///< of pool_mode::sizes

    bool make(std::size_t sites) noexcept {
        const std::size_t count = std::bit_ceil(4 * (sites < 16 ? std::size_t{16} : sites));
        void* const memory = detail::system_pages::map(count * 10, 4096);
        if (memory == nullptr) {
            return false;
        }
        live = static_cast<std::atomic<std::uint64_t>*>(memory);
        more = reinterpret_cast<std::atomic<std::uint16_t>*>(live + count);
        index = {live, static_cast<std::uint32_t>(64 - std::countr_zero(count)),
                 static_cast<std::uint32_t>(count - 1)};
        return true;
    }

    /// Adds a call of pool_mode::sizes while others look: after that it costs what a planned one does.
    void remember(std::uint64_t key, std::uint64_t number) noexcept {
        for (std::size_t i = home_of(key, index.shift);; i = (i + 1) & index.last) {
            std::uint64_t entry = live[i].load(std::memory_order_relaxed);
            if (entry == 0 && used.load(std::memory_order_relaxed) <= index.last / 4 &&
                live[i].compare_exchange_strong(entry, key + number, std::memory_order_relaxed)) {
                used.fetch_add(1, std::memory_order_relaxed);
                return;
            }
            if (entry == 0 || entry - key < pool_numbers) {
                return; // there is no room, or it is there
            }
        }
    }

    // Readers go on meanwhile: each entry is right by itself, and a call that they miss is served elsewhere.
    void clear() noexcept {
        for (std::size_t i = 0; i <= index.last; ++i) {
            live[i].store(0, std::memory_order_relaxed);
        }
    }
    /// The first with a key stays.
    void put(std::uint64_t key, std::uint64_t number, std::uint16_t extra) noexcept {
        std::size_t i = home_of(key, index.shift);
        while (const std::uint64_t entry = live[i].load(std::memory_order_relaxed)) {
            if (entry - key < pool_numbers) {
                return;
            }
            i = (i + 1) & index.last;
        }
        more[i].store(extra, std::memory_order_relaxed);
        live[i].store(key + number, std::memory_order_relaxed); // the pool's own pointer publishes the pool
    }
};

constinit growing_index calls;   ///< what the calls of allocation functions return to
constinit growing_index callers; ///< what wrappers return to

constinit const plan_tables* plan = nullptr;
constinit site_settings settings{};
constinit std::uint8_t pool_of_sixteens[64]{}; ///< pool_mode::sizes: the number, plus one
constinit std::atomic<std::uint64_t> hits[most_planned_sites]{};

// -- the files that are loaded ---------------------------------------------------------------------

/// What became of a return address of the plan in this process.
struct resolved_address {
    std::uintptr_t address;
    site_state state;
};
constinit resolved_address resolved_calls[most_planned_sites]{};
constinit resolved_address resolved_callers[most_planned_sites]{};
constinit site_state modules[most_planned_modules]{};
constinit preload::load_counts last_loads{};
constinit char program[PATH_MAX]{}; // stacks of threads may be small

std::string_view file_name_of(const char* path) noexcept {
    const char* const slash = std::strrchr(path, '/');
    const char* const name = slash != nullptr ? slash + 1 : path;
    return {name, std::strlen(name)};
}

site_state compare(const planned_module& planned, const preload::build_id& id,
                   std::string_view name) noexcept {
    if (planned.build_id_bytes == 0) {
        return plan->text(planned.name) == name ? site_state::active : site_state::absent;
    }
    if (id.count == planned.build_id_bytes && std::memcmp(id.bytes, planned.build_id, id.count) == 0) {
        return site_state::active;
    }
    return plan->text(planned.name) == name ? site_state::other_build : site_state::absent;
}

void resolve(const preload::mapped_file& file, const planned_call& planned, std::uint32_t module,
             resolved_address& into) noexcept {
    if (planned.module != module) {
        return;
    }
    const std::uintptr_t address = file.bias + planned.offset;
    const std::size_t code = planned.code_bytes;
    const std::uintptr_t begin = address - (code != 0 ? code : 1); // the call is before it
    const bool is_same = file.holds(begin, address - begin, PF_X | PF_R) &&
                         std::memcmp(reinterpret_cast<const void*>(begin), planned.code, code) == 0;
    into = {address, is_same ? site_state::active : site_state::other_code};
}

int look_at(dl_phdr_info* info, std::size_t, void* data) noexcept {
    bool& is_program_passed = *static_cast<bool*>(data);
    const preload::mapped_file file{*info};
    const char* path = info->dlpi_name;
    if (!is_program_passed) { // it comes first, without a name
        is_program_passed = true;
        path = program;
    }
    const std::string_view name = file_name_of(path != nullptr ? path : "");
    const preload::build_id id = preload::build_id_of(file);
    for (std::uint32_t m = 0; m != plan->module_count; ++m) {
        if (modules[m] == site_state::active) {
            continue; // what is loaded twice is planned once
        }
        const site_state found = compare(plan->modules[m], id, name);
        if (found == site_state::absent) {
            continue;
        }
        modules[m] = found;
        for (std::uint32_t i = 0; i != plan->site_count && found == site_state::active; ++i) {
            resolve(file, plan->sites[i].call, m, resolved_calls[i]);
            resolve(file, plan->sites[i].caller, m, resolved_callers[i]);
        }
    }
    return 0;
}

/// Looks for the modules of the plan among the files that are loaded now, and compares the code before each return address.
void resolve_sites() noexcept {
    static_assert(site_state{} == site_state::absent);
    std::memset(modules, 0, plan->module_count * sizeof *modules);
    std::memset(resolved_calls, 0, plan->site_count * sizeof *resolved_calls);
    std::memset(resolved_callers, 0, plan->site_count * sizeof *resolved_callers);
    const ssize_t n = ::readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
    bool is_program_passed = false;
    ::dl_iterate_phdr(look_at, &is_program_passed);
    for (std::uint32_t i = 0; i != plan->site_count; ++i) {
        const planned_site& site = plan->sites[i];
        if (modules[site.call.module] == site_state::other_build) {
            resolved_calls[i].state = site_state::other_build;
        }
        if (site.is_behind != 0 && modules[site.caller.module] == site_state::other_build) {
            resolved_callers[i].state = site_state::other_build;
        }
    }
}

/// Whether files have come or gone since the last time this was asked, by the loader's own counts.
bool have_modules_changed() noexcept {
    const preload::load_counts now = preload::count_loads();
    const bool changed = now != last_loads;
    last_loads = now;
    return changed;
}

site_state state_of(std::uint32_t i) noexcept {
    const site_state call = resolved_calls[i].state;
    return call != site_state::active || plan->sites[i].is_behind == 0 ? call : resolved_callers[i].state;
}

// -- looking at them again -----------------------------------------------------------------------

constinit bool looks_for_files = false;
constinit std::atomic<bool> is_scanning{false};
constinit std::atomic<bool> is_filling{false}; // a part of scanning
constinit std::atomic<std::uint64_t> scan_wanted_ms{0};
constinit std::atomic<std::uint64_t> scanned_ms{0};
constinit std::atomic<std::uint32_t> vain_scans{0};
constinit bool was_said = false;

void fill_indices() noexcept {
    is_filling.store(true, std::memory_order_relaxed);
    calls.clear();
    callers.clear();
    for (std::uint32_t i = 0; i != plan->site_count; ++i) {
        const planned_site& s = plan->sites[i];
        if (state_of(i) != site_state::active) {
            continue;
        }
        const auto site = static_cast<std::uint16_t>(i);
        const std::uint64_t call = key_of(resolved_calls[i].address, s.size);
        if (s.is_behind != 0) {
            calls.put(call, wrapper_number, s.stack);
            callers.put(key_of(resolved_callers[i].address, s.size), s.pool, site);
        } else {
            calls.put(call, s.pool, site);
        }
    }
    is_filling.store(false, std::memory_order_relaxed);
}

bool is_left_out(site_state state) noexcept {
    return state == site_state::other_build || state == site_state::other_code;
}

/// Once in a process.
void say_what_is_left_out() noexcept {
    std::uint32_t left_out = 0;
    std::uint32_t first = 0;
    for (std::uint32_t i = 0; i != plan->site_count; ++i) {
        if (is_left_out(state_of(i)) && left_out++ == 0) {
            first = i;
        }
    }
    if (left_out == 0 || was_said) {
        return;
    }
    was_said = true;
    const planned_site& s = plan->sites[first];
    const bool is_caller = resolved_calls[first].state == site_state::active;
    const std::string_view whose = plan->text(plan->modules[(is_caller ? s.caller : s.call).module].name);
    say("%u of %u sites left out: %.*s %s", left_out, plan->site_count,
        static_cast<int>(whose.size() < 80 ? whose.size() : 80), whose.data(),
        state_of(first) == site_state::other_build ? "is not the build that the plan was made for"
                                                   : "has other code at a site than the plan says");
}

/// @pre is_scanning, set by the caller
void scan() noexcept {
    const slow_path here;
    resolve_sites();
    fill_indices();
    say_what_is_left_out();
}

constexpr std::uint64_t give_up_ms = 10'000;
constexpr std::uint32_t vain_at_once = 16;

/// A dlopen() announces itself before it is done, so the loader's counts say whether there is something new. Until there
/// is, a look now and then; after ten seconds it is taken for a failed one.
void scan_if_due() noexcept {
    if (me.is_inside) {
        return;
    }
    const std::uint64_t now = detail::coarse_clock::now_ms();
    if (vain_scans.load(std::memory_order_relaxed) > vain_at_once &&
        scanned_ms.load(std::memory_order_relaxed) == now) {
        return;
    }
    if (is_scanning.exchange(true, std::memory_order_acquire)) { // pairs with the release below
        return;
    }
    scanned_ms.store(now, std::memory_order_relaxed);
    bool has_changed = false;
    {
        const slow_path here;
        has_changed = have_modules_changed();
    }
    if (has_changed) {
        hot.attention.fetch_and(~std::uint32_t{attention_to_modules}, std::memory_order_relaxed);
        scan();
    } else if (vain_scans.fetch_add(1, std::memory_order_relaxed) > vain_at_once &&
               now - scan_wanted_ms.load(std::memory_order_relaxed) > give_up_ms) {
        hot.attention.fetch_and(~std::uint32_t{attention_to_modules}, std::memory_order_relaxed);
    }
    is_scanning.store(false, std::memory_order_release); // pairs with the acquire above
}

// -- calls that are not in the index ---------------------------------------------------------------

std::uintptr_t caller_of(call_place from, std::uint16_t stack) noexcept {
    std::uintptr_t address = 0;
    std::memcpy(&address, reinterpret_cast<const void*>(from.stack_pointer + stack), sizeof address);
    return address;
}

found_entry find_behind(std::size_t bytes, call_place from, found_entry wrapper) noexcept {
    const std::uint16_t stack = calls.more[wrapper.at].load(std::memory_order_relaxed);
    return find(callers.index, key_of(caller_of(from, stack), bytes));
}

std::uint64_t pool_of_counted(std::size_t bytes, call_place from) noexcept {
    found_entry found = find(calls.index, key_of(from.return_address, bytes));
    const growing_index* where = &calls;
    if (found.number == wrapper_number) {
        found = find_behind(bytes, from, found);
        where = &callers;
    }
    if (found.number != no_number) {
        hits[where->more[found.at].load(std::memory_order_relaxed)].fetch_add(1, std::memory_order_relaxed);
    }
    return found.number;
}

std::uint64_t pool_of_size(std::size_t bytes, call_place from) noexcept {
    const std::uint64_t number = std::uint64_t{pool_of_sixteens[(bytes + 15) / 16]} - 1;
    calls.remember(key_of(from.return_address, bytes), number);
    return number;
}

/// Calls that pool_mode::sizes remembers; those beyond pay for it each time.
constexpr std::size_t remembered_calls = 2048;

std::uint64_t sizes_of_plan() noexcept {
    std::uint64_t sizes = 0;
    for (std::uint32_t i = 0; i != plan->site_count; ++i) {
        sizes |= std::uint64_t{1} << (plan->sites[i].size + 15u) / 16;
    }
    return sizes;
}

/// What the slots for blocks of so many sixteens hold: as much as those of the plan's pools for them.
std::uint16_t room_for(std::uint32_t sixteens) noexcept {
    auto room = static_cast<std::uint16_t>(sixteens * 16);
    for (std::uint32_t i = 0; i != plan->site_count; ++i) {
        const planned_site& s = plan->sites[i];
        if ((s.size + 15u) / 16 == sixteens && plan->pools[s.pool].room > room) {
            room = plan->pools[s.pool].room;
        }
    }
    return room;
}

/// One pool each 16 bytes that the plan names; the depots are made at once, for every process may need each.
bool make_pools_of_sizes(std::uint64_t sizes) noexcept {
    std::uint32_t count = 0;
    set_pool_count(static_cast<std::uint32_t>(std::popcount(sizes)));
    for (std::uint32_t sixteens = 1; sixteens != 64; ++sixteens) {
        if ((sizes >> sixteens & 1) == 0) {
            continue;
        }
        pool_state& s = pools[count];
        const int n = std::snprintf(s.name_of_size, sizeof s.name_of_size, "%u bytes", sixteens * 16);
        planned_pool planned{};
        planned.object_bytes = room_for(sixteens);
        planned.align = 16;
        describe_pool(count, {s.name_of_size, static_cast<std::size_t>(n)}, planned);
        if (!make_pool(count)) {
            return false;
        }
        pool_of_sixteens[sixteens] = static_cast<std::uint8_t>(++count);
    }
    return true;
}

bool make_pools_of_plan() noexcept {
    set_pool_count(plan->pool_count);
    for (std::uint32_t i = 0; i != plan->pool_count; ++i) {
        const planned_pool& p = plan->pools[i];
        if (p.object_bytes == 0) {
            continue;
        }
        describe_pool(i, plan->text(p.name), p);
        if (!make_pool(i)) {
            return false;
        }
    }
    return true;
}

} // namespace

constinit hot_data hot{{0}, {0}, {nothing, 63, 0}, {0}};

std::uint64_t pool_of_other(std::size_t bytes, call_place from, found_entry found) noexcept {
    const bool is_wrapper = found.number == wrapper_number;
    if (is_wrapper) {
        found = find_behind(bytes, from, found);
    }
    const std::uint32_t attention = hot.attention.load(std::memory_order_relaxed);
    if (attention == 0 || found.number != no_number) [[likely]] {
        return found.number;
    }
    if ((attention & attention_to_modules) != 0) {
        scan_if_due();
    }
    if ((attention & attention_to_sizes) != 0) {
        return pool_of_size(bytes, from);
    }
    return (attention & attention_to_counts) != 0 && !is_wrapper ? pool_of_counted(bytes, from) : no_number;
}

bool apply_plan(const plan_tables& tables, const site_settings& wishes) noexcept {
    plan = &tables;
    settings = wishes;
    if (settings.mode == pool_mode::empty || plan->site_count == 0) {
        return true;
    }
    const std::uint64_t sizes = sizes_of_plan();
    const bool has_pools =
        settings.mode == pool_mode::sizes ? make_pools_of_sizes(sizes) : make_pools_of_plan();
    if (!has_pools || !calls.make(settings.mode == pool_mode::sizes ? remembered_calls : plan->site_count) ||
        !callers.make(plan->site_count)) {
        return false;
    }
    std::uint32_t attention = attention_to_sizes;
    if (settings.mode != pool_mode::sizes) {
        looks_for_files = true;
        is_scanning.store(true, std::memory_order_relaxed);
        have_modules_changed();
        scan();
        is_scanning.store(false, std::memory_order_release); // pairs with the acquire in scan_if_due
        attention = settings.counts_hits ? std::uint32_t{attention_to_counts} : 0u;
    }
    if (attention != attention_to_counts) {
        hot.index = calls.index; // otherwise every call has to be seen
    }
    hot.attention.store(attention, std::memory_order_relaxed);
    hot.malloc_sizes.store(sizes, std::memory_order_relaxed); // there is one thread so far
    if (settings.serves_new) {
        hot.new_sizes.store(sizes, std::memory_order_relaxed);
    }
    return true;
}

void request_scan() noexcept {
    if (!looks_for_files) {
        return;
    }
    scan_wanted_ms.store(detail::coarse_clock::now_ms(), std::memory_order_relaxed);
    vain_scans.store(0, std::memory_order_relaxed);
    hot.attention.fetch_or(attention_to_modules, std::memory_order_relaxed);
    look_at_calls();
}

void forget_scan_of_parent() noexcept {
    // Another thread may have held the lock of the loader: here it is never released.
    hot.attention.fetch_and(~std::uint32_t{attention_to_modules}, std::memory_order_relaxed);
    last_loads = {}; // so that after a dlopen() of this process files are looked at again
    is_scanning.store(false, std::memory_order_relaxed);
    if (is_filling.load(std::memory_order_relaxed)) {
        fill_indices();
    }
}

site_status status_of(std::uint32_t site) noexcept {
    return {state_of(site), hits[site].load(std::memory_order_relaxed)};
}

bool is_any_site_active() noexcept {
    for (std::uint32_t i = 0; plan != nullptr && i != plan->site_count; ++i) {
        if (state_of(i) == site_state::active) {
            return true;
        }
    }
    return false;
}

const plan_tables* applied_plan() noexcept {
    return plan;
}
bool are_hits_counted() noexcept {
    return plan != nullptr && settings.counts_hits && settings.mode != pool_mode::empty;
}

} // namespace linn::tool::pools
