// SPDX-License-Identifier: Apache-2.0
#include "namer.hpp"

#include "../advise/runtime_blocks.hpp"
#include "../advise/type_groups.hpp"
#include "../symbols/symbolizer.hpp"
#include "../symbols/type_namer.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace linn::tool::live {
namespace {

/// Not before the program's own threads.
constexpr int niceness = 10;

allocation_site site_of(const site_place& place) {
    allocation_site site;
    for (const place_frame& frame : place.frames) {
        // A return address stands behind the call.
        site.stack.push_back({frame.module, frame.build_id, frame.address == 0 ? 0 : frame.address - 1});
    }
    site.sizes = place.sizes;
    site.rtti = place.rtti;
    site.is_array_new = place.call == allocation_call::operator_new_array ||
                        place.call == allocation_call::operator_new_array_aligned;
    site.is_operator_new = site.is_array_new || place.call == allocation_call::operator_new ||
                           place.call == allocation_call::operator_new_aligned;
    return site;
}

/// What makes two sites the same place.
std::string key_of(const site_place& place) {
    std::string key = place.rtti;
    for (const place_frame& frame : place.frames) {
        key += fmt::format("\n{:x} {}", frame.address, frame.module);
    }
    return key;
}

/// As linn advise calls the type; of no site yet.
site_name name_of(type_namer& namer, const site_place& place) {
    advised_type type;
    const allocation_site site = site_of(place);
    type.named = namer.name(site);
    type.name = type.named.type;
    type.container = type.named.container;
    const symbol_frame& at = type.named.place;
    const bool is_known = !at.function.empty() || !at.file.empty() || !at.library.empty();
    const auto [smallest, largest] = std::ranges::minmax(place.sizes);
    const runtime_rule* const rule = runtime_rule_of(site, type.named, smallest, largest);
    return {{},
            label_of(type),
            is_known || type.named.frames.empty() ? place_text(at) : place_text(type.named.frames.front()),
            rule != nullptr ? rule->most : 0};
}

} // namespace

site_namer::site_namer() : thread_{[this] { work(); }} {}

site_namer::~site_namer() {
    {
        const std::lock_guard lock{mutex_};
        stops_ = true;
    }
    wakes_.notify_one();
    thread_.join();
}

std::size_t site_namer::waiting() const {
    const std::lock_guard lock{mutex_};
    return asked_.size();
}

void site_namer::ask(const site_key& site, site_place place) {
    {
        const std::lock_guard lock{mutex_};
        asked_.insert(asked_.begin(), {site, std::move(place)});
    }
    wakes_.notify_one();
}

std::vector<site_name> site_namer::take() {
    const std::lock_guard lock{mutex_};
    return std::exchange(named_, {});
}

void site_namer::work() {
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), niceness);
    symbolizer symbols;
    type_namer namer{symbols};
    std::map<std::string, site_name> known;
    std::unique_lock lock{mutex_};
    for (;;) {
        wakes_.wait(lock, [&] { return stops_ || !asked_.empty(); });
        if (stops_) {
            return;
        }
        const auto [site, place] = std::move(asked_.back());
        asked_.pop_back();
        lock.unlock();
        const auto [entry, is_new] = known.try_emplace(key_of(place));
        if (is_new) {
            entry->second = name_of(namer, place);
        }
        lock.lock();
        named_.push_back(entry->second);
        named_.back().site = site;
    }
}

} // namespace linn::tool::live
