// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../trace/event.hpp"
#include "address_map.hpp"
#include "program_file.hpp"
#include "program_format.hpp"
#include "slot_store.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace linn::tool {

/// What a program does, and what was left out of it.
struct program_summary {
    std::uint64_t events = 0;           ///< in the program: allocations, releases and reallocations
    std::uint64_t allocations = 0;      ///< of them
    std::uint64_t by_operator_new = 0;  ///< of the allocations
    std::uint64_t threads = 0;          ///< recorded
    std::uint64_t streams = 0;          ///< threads that the replay has
    std::uint64_t hand_overs = 0;       ///< blocks that another recorded thread released or reallocated
    std::uint64_t unknown_releases = 0; ///< skipped: of blocks whose allocation is not in the trace
    std::uint64_t failures = 0;         ///< skipped: the allocator had returned null
    std::uint64_t reused_addresses =
        0; ///< allocations at an address that was live: the trace is out of order
    std::uint64_t peak_live_blocks = 0;
    std::uint64_t peak_live_bytes = 0;
    std::uint64_t live_blocks_at_end = 0; ///< never released, as in the recorded run
    std::uint64_t checksum = 0;
};

/// A trace as the worker executes it.
struct replay_program {
    program_file file;
    program_summary summary;
};

/// Sizes of the translation, which only tests change.
struct program_limits {
    std::uint32_t most_streams =
        1024; ///< threads beyond are carried on by those that have been silent for longest
    std::uint32_t window =
        8192; ///< in a replay no thread is ahead of another by more than about twice as many events
};

/// Translates the events of one process image, in the order in which they happened, into a program.
///
/// Blocks become slots, which are reused. Every wait of one stream is for something that stands before it in the order
/// of events, and each stream keeps that order, so no replay can block for ever.
///
/// Memory: in proportion to live blocks and to threads; the words go to a file.
class program_builder {
public:
    /// `group_of_stack[s]` is the group of the allocations of stack s, from 1 on; 0, or no entry: none. A group is what
    /// the worker can serve from somewhere else than the rest.
    explicit program_builder(const std::filesystem::path& folder,
                             std::vector<std::uint8_t> group_of_stack = {}, program_limits limits = {});

    /// @throws std::runtime_error when the disk is full
    void add(const event& e);

    const program_summary& so_far() const noexcept { return summary_; }

    /// Ends all streams. Nothing may be added afterwards.
    replay_program finish();

private:
    struct block {
        std::uint64_t bytes;
        std::uint32_t slot;
        std::uint32_t thread;     ///< recorded
        std::uint16_t stream;     ///< that owns the slot
        std::uint16_t generation; ///< of the slot
        std::uint8_t group;
        std::uint8_t alignment_log2;
        replay_format::op how; ///< it was allocated
    };

    struct stream {
        explicit stream(program_file& file) : words{file} {}

        word_stream words;
        slot_store slots;
        std::uint32_t next_slot = 0; ///< of the run of new slots that it has
        std::uint32_t last_slot = 0;
        std::uint32_t run = 8;
        std::uint64_t last_event = 0;
        std::optional<std::uint32_t> epoch; ///< entered last
    };

    std::uint16_t stream_of(std::uint32_t thread);
    std::uint16_t begin_stream();
    std::uint16_t longest_silent() const;
    stream& enter(std::uint16_t number);
    std::uint32_t fresh_slot(std::uint16_t number, unsigned size_class);
    bool give_slot(block& b);
    std::uint8_t group_of(const event& e) const noexcept;

    void allocate(const event& e, replay_format::op how);
    void reallocate(const event& e);
    void release(const event& e);
    void write_release(const block& b, std::uint16_t by, std::uint32_t thread);
    void remember(std::uint64_t address, const block& b);
    std::optional<block> forget(std::uint64_t address);
    void write_tables(replay_format::program_header& header);

    program_file file_;
    std::vector<std::uint8_t> group_of_stack_;
    program_limits limits_;
    program_summary summary_;
    address_map<block> live_;
    std::unordered_map<std::uint64_t, std::vector<block>>
        displaced_; // released late, by an address that is live again
    std::uint64_t live_bytes_ = 0;
    std::uint64_t live_blocks_ = 0;

    static constexpr std::uint32_t no_stream = 0xffff;
    std::vector<std::uint16_t> streams_of_threads_;
    std::vector<stream> streams_;
    std::uint16_t current_ = 0;              // of the last event
    std::vector<std::uint32_t> slot_keys_;   // stream << 8 | class, by slot; 0: not used
    std::vector<std::uint16_t> generations_; // by slot: how often each was filled
    std::vector<std::uint32_t> epochs_;      // how many streams take part
    std::uint64_t events_in_epoch_ = 0;
};

} // namespace linn::tool
