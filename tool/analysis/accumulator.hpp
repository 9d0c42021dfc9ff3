// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../trace/counts.hpp"
#include "../trace/event.hpp"
#include "../trace/reader.hpp"
#include "process_memory.hpp"
#include "site_record.hpp"
#include "trace_analysis.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace linn::tool {

/// Makes an analysis out of events, given in the order of time, in one pass. Of a sample, each block counts as many times as
/// its weight says. Memory: in proportion to the blocks that
/// are live at once and to distinct stacks.
///
/// A block belongs to the process image that allocated it. A forked child inherits its parent's blocks; when it releases
/// one, that says nothing of the parent's block. An address that is given out although it is live was released by
/// another thread whose clock, or whose turn at the recorder, was behind: the release that comes next from another
/// thread is taken for that of the old block.
class accumulator {
public:
    explicit accumulator(sample_weight weight = {});
    /// For the events of this trace.
    explicit accumulator(const trace_info& info);

    void take(std::span<const event> events);

    /// The result. Knows which processes are forked ones from `info`. @pre called once
    trace_analysis finish(trace_info info);

private:
    using block_key = std::pair<std::uint32_t, std::uint64_t>; // process, address

    struct process_state {
        live_map live;
        page_set pages;
        std::uint64_t unknown_releases = 0;
    };

    struct thread_state {
        std::uint64_t last_address = 0;  ///< of the block that the last call got; 0: it was no allocation
        std::uint32_t last_site = 0;     ///< of the block it got last
        std::uint32_t released_site = 0; ///< of the block it released last; 0: it is not known
        double released_weight = 0;
        std::uint64_t last_begin = 0;
        std::uint64_t last_end = 0;
    };

    struct pending_block {
        live_block block;
        std::uint64_t since = 0;
    };

    /// Of a block that was not known then.
    struct early_release {
        std::uint32_t thread = 0;
        std::uint64_t time = 0;
    };

    void allocate(const event& e);
    void release(const event& e);
    void reallocate(const event& e);
    void fill(const event& e);

    process_state& process(std::uint32_t index);
    thread_state& thread(std::uint32_t index);
    std::uint32_t site_index(std::uint32_t stack, allocation_call call);

    void add_block(process_state& p, const event& e, std::uint32_t site, std::uint64_t born);
    /// The older of two blocks at one address, where the event means that one; it is not pending any more.
    std::optional<live_block> take_pending(const event& e, std::uint64_t address, const live_block& newer);
    void count_release(const live_block& block, const event& e, bool is_temporary);
    void forget(const live_block& block);
    /// More bytes may be live than ever before.
    void note_peak(std::uint64_t time) noexcept {
        if (live_bytes_ > peak_live_bytes_) {
            peak_live_bytes_ = live_bytes_;
            peak_ns_ = time;
            ++peaks_;
        }
    }
    /// Removes a block from the live ones.
    void end_life(const live_block& block, std::uint64_t weight);
    std::uint64_t weight_of(const live_block& block) const noexcept {
        return weight_.whole(block.bytes, block.address, block.time);
    }
    /// What the calls of a thread just before this one tell, where the trace has all of them.
    void note_neighbours(const event& e, std::uint32_t site);
    /// Of a block that is not known: its allocation may come next.
    void keep_early(const event& e);
    bool can_be_early(const early_release& r, std::uint64_t allocated) const noexcept;
    /// True where the release was told before the allocation.
    bool was_released_early(const event& e);

    sample_weight weight_;
    std::deque<site_record> sites_; ///< [0] is of no use: index 0 means none
    std::vector<std::uint32_t> site_of_stack_;
    std::vector<process_state> processes_;
    std::vector<thread_state> threads_;
    std::map<block_key, pending_block> pending_;
    std::map<block_key, early_release> early_;
    timeline_recorder over_time_;
    std::uint64_t live_ = 0;
    std::uint64_t live_bytes_ = 0;
    std::uint64_t peak_live_ = 0;
    std::uint64_t peak_live_bytes_ = 0;
    std::uint64_t peak_ns_ = 0;
    std::uint64_t peaks_ = 0; ///< how often there was more than ever before
    std::uint64_t burst_ = 0;
    std::uint64_t longest_burst_ = 0;
    std::uint64_t failures_ = 0;
    std::uint64_t unseen_releases_ = 0;
    std::vector<std::uint64_t> allocating_threads_; ///< one bit each
};

/// Reads a trace in one pass. Memory: in proportion to live blocks and to distinct stacks. Throws what the reader throws.
trace_analysis analyse_trace(trace_reader& trace, const std::function<bool(double)>& progress = {});

} // namespace linn::tool
