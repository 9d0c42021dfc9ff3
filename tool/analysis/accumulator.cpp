// SPDX-License-Identifier: Apache-2.0
#include "accumulator.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace linn::tool {
namespace {

constexpr std::size_t look_ahead = 12;        // events between asking for a place of the table and using it
constexpr std::uint64_t late_ns = 10'000'000; // a clock is not further behind than a thread may be stopped
// A clock may be read this early: the processor executes the reading of a release while it still waits for the other core
// that hands it the block. 0.4 us were seen between cores without a common cache.
constexpr std::uint64_t early_ns = 2'000;
// Few are of the last moment, and each allocation looks among them.
constexpr std::size_t most_early = 64;

/// Most allocations first.
bool comes_first(const analysed_site& a, const analysed_site& b) {
    if (a.statistics.allocations != b.statistics.allocations) {
        return a.statistics.allocations > b.statistics.allocations;
    }
    return a.stack != b.stack ? a.stack < b.stack : a.call < b.call;
}

} // namespace

std::size_t frequent_sizes::place_of(std::uint64_t size) noexcept {
    for (std::size_t i = 0; i != used_; ++i) {
        if (sizes_[i] == size) {
            return i;
        }
    }
    if (used_ != most) {
        sizes_[used_] = size;
        return used_++;
    }
    // The rarest gives its place and its count: the newcomer may have been counted out before.
    const auto rarest = static_cast<std::size_t>(std::ranges::min_element(counts_) - counts_.begin());
    sizes_[rarest] = size;
    errors_[rarest] = counts_[rarest];
    return rarest;
}

counted_sizes frequent_sizes::top() const {
    counted_sizes result;
    for (std::size_t i = 0; i != used_; ++i) {
        result.emplace_back(sizes_[i], counts_[i] - errors_[i]);
    }
    keep_most_frequent(result);
    return result;
}

void site_record::count_thread(std::uint32_t thread) {
    last_thread = thread;
    const std::size_t word = thread / 64;
    if (word >= threads.size()) {
        threads.resize(word + 1);
    }
    threads[word] |= std::uint64_t{1} << (thread % 64);
}

site_statistics site_record::statistics() const {
    site_statistics s = counted;
    s.smallest = s.smallest > s.largest ? 0 : s.smallest;
    s.sizes = sizes.top();
    s.resized = resized.top();
    for (const std::uint64_t word : threads) {
        s.threads += static_cast<std::uint64_t>(std::popcount(word));
    }
    return s;
}

inline accumulator::process_state& accumulator::process(std::uint32_t index) {
    if (index >= processes_.size()) [[unlikely]] {
        processes_.resize(index + 1);
    }
    return processes_[index];
}

inline accumulator::thread_state& accumulator::thread(std::uint32_t index) {
    if (index >= threads_.size()) [[unlikely]] {
        threads_.resize(index + 1);
    }
    return threads_[index];
}

void accumulator::take(std::span<const event> events) {
    if (sites_.empty()) {
        sites_.emplace_back();
    }
    for (std::size_t i = 0; i != events.size(); ++i) {
        if (i + look_ahead < events.size()) {
            const event& ahead = events[i + look_ahead];
            if (ahead.process < processes_.size()) {
                processes_[ahead.process].live.prefetch(ahead.address);
            }
        }
        const event& e = events[i];
        if (e.release_timing.weight != 0) {
            const thread_state& t = thread(e.thread);
            sites_[t.released_site].counted.time.add(e.release_timing, t.released_weight);
        }
        switch (e.kind) {
        case event_kind::allocation:
            allocate(e);
            break;
        case event_kind::release:
            release(e);
            break;
        case event_kind::reallocation:
            reallocate(e);
            break;
        case event_kind::failure:
            ++failures_;
            break;
        }
        over_time_.take(e.time, live_, live_bytes_);
    }
}

std::uint32_t accumulator::site_index(std::uint32_t stack, allocation_call call) {
    if (stack >= site_of_stack_.size()) {
        site_of_stack_.resize(std::max<std::size_t>(stack + std::size_t{1}, 2 * site_of_stack_.size()));
    }
    std::uint32_t* place = &site_of_stack_[stack];
    while (*place != 0) {
        site_record& found = sites_[*place];
        if (found.call == call) {
            return *place;
        }
        place = &found.next;
    }
    // A new record does not move the others: the place stays valid.
    const auto index = static_cast<std::uint32_t>(sites_.size());
    site_record& made = sites_.emplace_back();
    made.stack = stack;
    made.call = call;
    *place = index;
    return index;
}

void accumulator::add_block(process_state& p, const event& e, std::uint32_t site, std::uint64_t born) {
    if (live_block* old = p.live.find(e.address); old != nullptr) {
        const block_key key{e.process, e.address};
        if (const auto older = pending_.find(key); older != pending_.end()) {
            forget(older->second.block);
        }
        pending_[key] = {*old, e.time};
        p.live.erase(old);
    }
    p.live.insert({e.address, e.bytes, born, site, e.thread});
    site_time& time = sites_[site].counted.time;
    time.fresh_pages += static_cast<double>(p.pages.add(e.address, e.bytes));
    if (e.timing.weight != 0) {
        time.add(e.timing, weight_.of(e.bytes));
    }
}

void accumulator::allocate(const event& e) {
    if (e.address == 0) {
        return;
    }
    const std::uint32_t index = site_index(e.stack, e.call);
    site_record& site = sites_[index];
    const std::uint64_t n = weight_.whole(e.bytes, e.address, e.time);
    site.counted.allocations += n;
    site.counted.bytes += n * e.bytes;
    site.counted.smallest = std::min(site.counted.smallest, e.bytes);
    site.counted.largest = std::max(site.counted.largest, e.bytes);
    site.sizes.add(e.bytes, n);
    if (site.last_thread != e.thread) {
        site.count_thread(e.thread);
    }
    site.note_peak(peaks_);
    site.counted.peak_live = std::max(site.counted.peak_live, site.counted.live_at_end += n);
    site.grow_by(n * e.bytes);

    peak_live_ = std::max(peak_live_, live_ += n);
    live_bytes_ += n * e.bytes;
    note_peak(e.time);

    add_block(process(e.process), e, index, e.time);
    if (weight_.is_sample()) {
        site.counted.spread.add(e.bytes, weight_.of(e.bytes));
    } else {
        note_neighbours(e, index);
    }
    if (!early_.empty() && was_released_early(e)) {
        thread(e.thread).last_address = 0;
    }
}

void accumulator::note_neighbours(const event& e, std::uint32_t index) {
    site_record& site = sites_[index];
    site.counted.longest_burst = std::max(site.counted.longest_burst, ++site.burst);
    longest_burst_ = std::max(longest_burst_, ++burst_);
    thread_state& by = thread(e.thread);
    by.last_address = e.address;
    by.last_bytes = e.bytes;
    by.last_site = index;
}

bool accumulator::can_be_early(const early_release& r, std::uint64_t allocated) const noexcept {
    return allocated - r.time <= early_ns;
}

void accumulator::keep_early(const event& e) {
    if (early_.size() >= most_early) {
        std::erase_if(early_, [&](const auto& r) { return !can_be_early(r.second, e.time); });
    }
    if (early_.size() < most_early) {
        early_[{e.process, e.address}] = {e.thread, e.time};
    }
}

bool accumulator::was_released_early(const event& e) {
    const auto early = early_.find({e.process, e.address});
    if (early == early_.end()) {
        return false;
    }
    const early_release by = early->second;
    early_.erase(early);
    if (by.thread == e.thread || !can_be_early(by, e.time)) { // a thread's own events are in order
        return false;
    }
    process_state& p = processes_[e.process];
    --p.unknown_releases;
    const live_block block = *p.live.find(e.address);
    p.live.erase(p.live.find(e.address));
    event late = e;
    late.thread = by.thread;
    count_release(block, late, false);
    return true;
}

void accumulator::count_release(const live_block& block, const event& e, bool is_temporary) {
    if (e.kind == event_kind::release) {
        thread_state& t = thread(e.thread);
        t.released_site = block.site;
        t.released_weight = weight_.of(block.bytes);
        process(e.process).pages.remove(block.address, block.bytes);
    }
    site_record& site = sites_[block.site];
    const std::uint64_t n = weight_of(block);
    site.counted.releases += n;
    site.counted.remote_releases += block.thread != e.thread ? n : 0;
    if (is_temporary) {
        ++site.counted.temporary;
        site.counted.temporary_bytes += block.bytes;
    }
    site.counted.lifetimes[log2_place(e.time > block.time ? e.time - block.time : 0)] += n;
    site.burst = 0;
    burst_ = 0;
    end_life(block, n);
}

void accumulator::end_life(const live_block& block, std::uint64_t n) {
    site_record& site = sites_[block.site];
    site.note_peak(peaks_);
    site.counted.live_at_end -= n;
    site.counted.live_bytes_at_end -= n * block.bytes;
    live_ -= n;
    live_bytes_ -= n * block.bytes;
}

void accumulator::forget(const live_block& block) {
    const std::uint64_t n = weight_of(block);
    unseen_releases_ += n;
    sites_[block.site].counted.unseen_releases += n;
    end_life(block, n);
}

std::optional<live_block> accumulator::take_pending(const event& e, std::uint64_t address,
                                                    const live_block& newer) {
    const auto found = pending_.find({e.process, address});
    if (found == pending_.end()) {
        return std::nullopt;
    }
    const pending_block pending = found->second;
    pending_.erase(found);
    // The thread that got the newer block would have told its release of the older one before.
    const bool is_late = e.time - pending.since <= late_ns;
    if (newer.thread == e.thread || !is_late) {
        forget(pending.block);
        return std::nullopt;
    }
    return pending.block;
}

void accumulator::release(const event& e) {
    if (e.address == 0) {
        return;
    }
    process_state& p = process(e.process);
    thread_state& t = thread(e.thread);
    t.released_site = 0;
    const bool is_temporary = t.last_address == e.address;
    const bool follows_allocation = t.last_address != 0 && t.last_address != e.address;
    t.last_address = 0;
    live_block* const block = p.live.find(e.address);
    if (block == nullptr) {
        ++p.unknown_releases;
        keep_early(e);
        return;
    }
    if (!pending_.empty()) {
        if (const std::optional<live_block> older = take_pending(e, e.address, *block)) {
            return count_release(*older, e, false);
        }
    }
    if (follows_allocation && t.last_bytes > block->bytes) {
        sites_[t.last_site].counted.outgrown +=
            static_cast<std::uint64_t>(sites_[t.last_site].call == sites_[block->site].call);
    }
    count_release(*block, e, is_temporary && block->thread == e.thread);
    p.live.erase(block);
}

void accumulator::reallocate(const event& e) {
    if (e.old_address == 0) {
        return allocate(e);
    }
    process_state& p = process(e.process);
    live_block* const old = p.live.find(e.old_address);
    if (old == nullptr) {
        // What is known of it begins here.
        ++p.unknown_releases;
        return allocate(e);
    }
    // Another thread may have got the old address before this one told that it moved from there.
    const std::optional<live_block> older =
        pending_.empty() ? std::nullopt : take_pending(e, e.old_address, *old);
    const live_block block = older.value_or(*old);
    site_record& site = sites_[block.site];
    ++site.counted.reallocations;
    site.resized.add(e.bytes);
    site.counted.bytes += e.bytes;
    site.counted.largest = std::max(site.counted.largest, e.bytes);
    site.note_peak(peaks_);
    site.counted.live_bytes_at_end -= block.bytes;
    site.grow_by(e.bytes);
    live_bytes_ += e.bytes - block.bytes;
    note_peak(e.time);
    if (!older) {
        p.live.erase(old);
    }
    event moved = e;
    moved.thread = block.thread;
    add_block(p, moved, block.site, block.time);
    thread(e.thread).last_address = 0;
}

trace_analysis accumulator::finish(trace_info info) {
    trace_analysis result;
    for (const auto& [key, pending] : pending_) {
        forget(pending.block);
    }
    for (std::size_t i = 1; i < sites_.size(); ++i) {
        site_record& site = sites_[i];
        site.note_peak(peaks_);
        result.sites.push_back({site.stack, site.call, site.statistics()});
        result.all.merge(result.sites.back().statistics);
        if (allocating_threads_.size() < site.threads.size()) {
            allocating_threads_.resize(site.threads.size());
        }
        for (std::size_t word = 0; word != site.threads.size(); ++word) {
            allocating_threads_[word] |= site.threads[word];
        }
    }
    std::ranges::sort(result.sites, comes_first);
    result.all.peak_live = peak_live_;
    result.all.peak_live_bytes = peak_live_bytes_;
    result.peak_ns = peak_ns_;
    result.all.longest_burst = longest_burst_;
    result.all.threads = 0;
    for (const std::uint64_t word : allocating_threads_) {
        result.all.threads += static_cast<std::uint64_t>(std::popcount(word));
    }
    result.over_time = over_time_.finish();
    for (std::size_t i = 0; i != processes_.size(); ++i) {
        const bool is_forked =
            i < info.processes.size() && info.processes[i].began == trace_process::origin::fork;
        (is_forked ? result.inherited_releases : result.unknown_releases) += processes_[i].unknown_releases;
    }
    result.unseen_releases = unseen_releases_;
    result.failures = failures_;
    // Of a release whose block is not known, no site.
    result.all.time.merge(sites_.empty() ? site_time{} : sites_.front().counted.time);
    result.time = time_of(info, result.all.time);
    if (result.time.is_known()) {
        for (analysed_site& site : result.sites) {
            take_share(site.statistics.time, result.time);
        }
        take_share(result.all.time, result.time);
    }
    result.info = std::move(info);
    return result;
}

trace_analysis analyse_trace(trace_reader& trace, const std::function<bool(double)>& progress) {
    accumulator counted{trace.info().sample_bytes};
    trace.read([&](std::span<const event> events) { counted.take(events); }, progress);
    return counted.finish(trace.info());
}

} // namespace linn::tool
