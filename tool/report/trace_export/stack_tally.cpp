// SPDX-License-Identifier: Apache-2.0
#include "stack_tally.hpp"

#include <algorithm>

namespace linn::tool {

live_map& stack_tally::blocks_of(std::uint32_t process) {
    if (process >= blocks_.size()) {
        blocks_.resize(process + 1);
    }
    return blocks_[process];
}

recent_blocks& stack_tally::recent_of(std::uint32_t thread) {
    if (thread >= recent_.size()) {
        recent_.resize(thread + std::size_t{1}, recent_blocks{rule_});
    }
    return recent_[thread];
}

stack_totals& stack_tally::totals(std::uint32_t stack) {
    if (stack >= totals_.size()) {
        totals_.resize(stack + 1);
        marks_.resize(stack + 1);
    }
    return totals_[stack];
}

/// What a stack had at the last peak is what it has until it changes for the first time afterwards.
void stack_tally::note_before_change(std::uint32_t stack) {
    stack_totals& t = totals(stack);
    if (marks_[stack].number != peaks_) {
        marks_[stack].number = peaks_;
        t.live_at_peak = t.live;
        t.live_bytes_at_peak = t.live_bytes;
    }
}

void stack_tally::forget(const live_block& b, std::uint64_t time) {
    note_before_change(b.site);
    stack_totals& t = totals(b.site);
    const std::uint64_t n = weight_of(b);
    t.live -= n;
    t.live_bytes -= n * b.bytes;
    t.lifetimes_ns += n * (time > b.time ? time - b.time : 0);
    live_ -= n;
    live_bytes_ -= n * b.bytes;
}

void stack_tally::begin(const event& e, std::uint64_t address) {
    live_map& blocks = blocks_of(e.process);
    if (const live_block* old = blocks.find(address)) {
        forget(*old, e.time);
        blocks.erase(old);
        pending_[{e.process, address}] = e.thread;
    }
    note_before_change(e.stack);
    stack_totals& t = totals(e.stack);
    const live_block block{address, e.bytes, e.time, e.stack, e.thread};
    const std::uint64_t n = weight_of(block);
    t.allocations += n;
    t.bytes += n * e.bytes;
    t.live += n;
    t.live_bytes += n * e.bytes;
    if (t.live_bytes > t.most_live_bytes) {
        t.most_live_bytes = t.live_bytes;
        t.most_live = t.live;
    }
    live_ += n;
    live_bytes_ += n * e.bytes;
    blocks.insert(block);
    if (live_bytes_ > peak_bytes_) {
        peak_bytes_ = live_bytes_;
        peak_time_ = e.time;
        ++peaks_;
    }
}

void stack_tally::end(const event& e, std::uint64_t address) {
    if (!pending_.empty()) {
        if (const auto late = pending_.find({e.process, address}); late != pending_.end()) {
            const bool is_old_one = late->second != e.thread;
            pending_.erase(late);
            if (is_old_one) {
                return;
            }
        }
    }
    live_map& blocks = blocks_of(e.process);
    if (const live_block* b = blocks.find(address)) {
        forget(*b, e.time);
        blocks.erase(b);
    }
}

void stack_tally::release(const event& e) {
    if (e.address != 0 && !weight_.is_sample() && recent_of(e.thread).released(e.address)) {
        const live_block* const b = blocks_of(e.process).find(e.address);
        const bool is_late = pending_.contains({e.process, e.address});
        if (b != nullptr && b->thread == e.thread && !is_late) {
            stack_totals& t = totals(b->site);
            ++t.temporary;
            t.temporary_bytes += b->bytes;
        }
    }
    end(e, e.address);
}

void stack_tally::take(std::span<const event> events) {
    for (const event& e : events) {
        switch (e.kind) {
        case event_kind::allocation:
            if (e.address != 0) {
                begin(e, e.address);
                recent_of(e.thread).allocated(e.address);
            }
            break;
        case event_kind::release:
            release(e);
            break;
        case event_kind::reallocation:
            if (e.old_address != 0) {
                recent_of(e.thread).resized(e.old_address);
                end(e, e.old_address);
            } else {
                recent_of(e.thread).allocated(e.address);
            }
            if (e.address != 0) {
                begin(e, e.address);
            }
            break;
        case event_kind::failure:
        case event_kind::fill:
            break;
        }
        recorder_.take(e.time, live_, live_bytes_);
    }
}

void stack_tally::finish(std::uint64_t end) {
    over_time_ = recorder_.finish();
    for (std::size_t i = 0; i != totals_.size(); ++i) {
        note_before_change(static_cast<std::uint32_t>(i));
    }
    for (const live_map& blocks : blocks_) {
        blocks.for_each([&](const live_block& b) {
            totals_[b.site].lifetimes_ns += weight_of(b) * (end > b.time ? end - b.time : 0);
        });
    }
}

} // namespace linn::tool
