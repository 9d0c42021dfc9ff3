// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../trace/chunk_frame.hpp"
#include "../../trace/event.hpp"
#include "../ring_file.hpp"
#include "block_sample.hpp"
#include "chunk_share.hpp"
#include "image_names.hpp"
#include "short_lives.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace linn::tool::live {

/// A stack of an image, by its number there.
struct site_key {
    std::uint32_t image = 0;
    std::uint32_t stack = 0;
    auto operator<=>(const site_key&) const = default;
};

/// What is known of a site.
struct site_figures {
    site_key key;
    double allocations =
        0;            ///< so far; exact unless `live_figures::is_estimated`, or the recording is a sample
    double bytes = 0; ///< the same
    double live_blocks = 0; ///< exact while `live_figures::one_in` is 1
    double live_bytes = 0;
};

/// The whole program at one moment.
struct live_figures {
    std::vector<site_figures> sites; ///< that are known to have allocated
    double events = 0;
    double dropped = 0;
    std::uint64_t one_in = 1;       ///< of so many blocks one is followed, for what lives
    std::uint64_t one_chunk_in = 1; ///< of so many chunks one is counted by stack, from now on
    double error = 0;               ///< two standard errors of the last allocations, as a share of them
    bool is_estimated = false;      ///< not all chunks were counted
    std::size_t processes = 0;
    std::size_t threads = 0;
};

/// Where a site is, to be named.
struct site_place {
    std::vector<place_frame> frames;  ///< innermost first
    std::vector<std::uint64_t> sizes; ///< some of its blocks'
    std::string rtti;                 ///< mangled; empty: none was found
    allocation_call call = allocation_call::malloc;
};

/// How the events of a chunk are taken.
enum class chunk_taking : unsigned char {
    whole,   ///< counted all
    sampled, ///< counted, for several chunks like this one
    passed,  ///< not counted, only followed
    careful, ///< where a part of the chunk was taken before, or the recording is a sample
};

/// Counts while a program is recorded, from its chunks: those that the collector takes, and what has been written so far into those
/// that threads still hold. Events are counted all; allocations by stack too, until they are too many, see chunk_share; blocks that
/// live are a sample, see block_sample. Any thread may call any function, but update() only one at a time.
class live_counts {
public:
    /// Events a second up to which all are counted by stack: 0.3 % of a processor.
    static constexpr double events_counted = 4e6;

    /// `is_exact`: the recording's clock orders events of different threads.
    live_counts(bool is_exact, sample_weight weight, sample_limits limits = {},
                double counted = events_counted)
        : blocks_{is_exact, weight, limits},
          share_{counted},
          weight_{weight} {}
    live_counts(const live_counts&) = delete;
    live_counts& operator=(const live_counts&) = delete;

    /// From now on, passes over the chunks of other processes that are still theirs.
    void leave_out_all_but(std::uint32_t pid) noexcept { only_pid_ = pid; }

    /// Takes a chunk that nobody writes any more, or a copy that ends with the recording.
    chunk_frame look(std::span<unsigned char> chunk);

    /// Takes what threads have written into their chunks, and brings what lives up to date. `seconds`: since the beginning.
    /// @complexity linear in the events that a thread has written into its chunk, if there are new ones
    void update(const ring_file& ring, double seconds);

    live_figures figures() const;
    /// Nothing while its stack has not been told, or if its process has ended.
    std::optional<site_place> place(const site_key& site) const;

private:
    struct site_counts {
        std::uint64_t allocations = 0;
        std::uint64_t bytes = 0;
    };
    struct image_state {
        std::shared_ptr<image_names> names = std::make_shared<image_names>();
        std::vector<site_counts> counts; ///< by stack
        std::vector<allocation_call> calls;
        std::uint32_t pid = 0;
        bool has_ended = false;   ///< another program took its place
        unsigned rounds_dead = 0; ///< calls of update() that found its process gone
    };
    /// How much of a chunk was taken before its owner handed it over.
    struct seen_part {
        std::uint32_t sequence = 0;
        std::uint64_t events = 0;
        std::size_t used = 0;     ///< bytes
        std::uint64_t weight = 1; ///< of so many chunks; 0: it is not counted
    };
    template <chunk_taking How>
    class sink;

    image_state& image_of(const wire::chunk_header& header);
    seen_part seen_of(const wire::chunk_header& header) const;
    template <class Decode>
    auto take(const wire::chunk_header& header, const seen_part& before, Decode decode);
    void peek(const wire::ring& ring, std::uint32_t chunk);
    void drop_ended();

    mutable std::mutex mutex_; ///< of everything
    block_sample blocks_;
    short_lives short_{blocks_};
    chunk_share share_;
    sample_weight weight_;
    std::map<std::uint32_t, image_state> images_;
    std::map<std::uint32_t, seen_part> seen_;        ///< by stream
    std::map<std::uint32_t, std::uint32_t> threads_; ///< and their images
    std::vector<unsigned char> copy_;
    std::uint32_t only_pid_ = 0;
    std::uint64_t events_ = 0;
    std::uint64_t dropped_ = 0;
    std::uint64_t settled_ = 0; ///< ticks of the last update
    std::uint64_t events_before_ = 0;
    double seconds_before_ = 0;
    bool was_estimated_ = false;
};

} // namespace linn::tool::live
