// SPDX-License-Identifier: Apache-2.0
#include "live_counts.hpp"

#include "../../measure/ticks.hpp"
#include "../../trace/chunk_look.hpp"
#include "../../trace/info.hpp"
#include "../chunk_copy.hpp"
#include "../owners.hpp"

#include <algorithm>
#include <cstring>

namespace linn::tool::live {
namespace {

/// Recorders number stacks one by one; a number beyond is damage, and not to take memory.
constexpr std::uint32_t most_stacks = 1u << 22;
/// The collector needs less to take what a dead process left.
constexpr unsigned rounds_to_keep = 3;

wire::chunk_header header_of(const unsigned char* chunk) {
    wire::chunk_header header;
    copy_upwards(chunk, reinterpret_cast<unsigned char*>(&header), sizeof header);
    return header;
}

} // namespace

/// Takes what a chunk holds, but for the events that were taken before. Each event of a busy program comes here: what it needs lies in
/// the sink itself, and what is not wanted costs a count and a hash, or the hash alone.
template <chunk_taking How>
class live_counts::sink : public wire::chunk_sink {
public:
    sink(live_counts& to, image_state& image, const wire::chunk_header& header, const seen_part& before)
        : filter_(to.blocks_.filter()),
          skipped_(before.events),
          weight_(before.weight),
          to_(to),
          image_(image),
          header_(header) {
        to_.short_.begin(header.image, header.thread);
        if (image_.counts.empty()) {
            grow(0);
        }
        counts_ = image_.counts;
    }
    sink(const sink&) = delete;
    sink& operator=(const sink&) = delete;
    ~sink() {
        to_.short_.end();
        to_.share_.note(weight_, allocations_);
    }

    void on_event(const wire::raw_event& e) {
        if constexpr (How == chunk_taking::careful) {
            if (skipped_ != 0) {
                --skipped_;
                return;
            }
        }
        if (e.kind == event_kind::allocation) {
            if constexpr (How != chunk_taking::passed) {
                count(e);
            }
            if (filter_.passes(e.address, e.bytes)) [[unlikely]] {
                follow(e);
            }
        } else if (filter_.passes(e.address) || e.kind != event_kind::release) [[unlikely]] {
            follow(e);
        }
    }
    void on_stack(const wire::stack_record& r) { image_.names->add(r); }
    void on_module(const wire::module_record& r) { image_.names->add(r); }
    void on_rtti(std::uint64_t, std::uint32_t stack, std::string_view name) {
        image_.names->add_type(stack, name);
    }
    void on_process(const wire::process_record& r) {
        // A later image is nobody's parent: no circles.
        if (r.parent_image == 0 || r.parent_image >= header_.image) {
            return;
        }
        // The parent's chunks may come later than its child's.
        image_state& parent = to_.images_[r.parent_image];
        if (r.origin == static_cast<std::uint8_t>(trace_process::origin::fork)) {
            image_.names->set_parent(parent.names);
        } else if (r.origin == static_cast<std::uint8_t>(trace_process::origin::exec)) {
            parent.has_ended = parent.pid == header_.pid;
        }
    }

private:
    static std::uint32_t known(std::uint32_t stack) noexcept { return stack < most_stacks ? stack : 0; }

    void count(const wire::raw_event& e) {
        const std::uint32_t stack = e.stack;
        if (stack >= counts_.size() || counts_[stack].allocations == 0) [[unlikely]] {
            first(e);
        } // beyond all sense, it counts as the stack of what has none
        site_counts& counts = counts_[stack < counts_.size() ? stack : 0];
        if constexpr (How == chunk_taking::whole) {
            ++counts.allocations;
            counts.bytes += e.bytes;
        } else {
            const std::uint64_t blocks =
                weight_ * (How == chunk_taking::careful ? to_.weight_.whole(e.bytes, e.address, e.ticks) : 1);
            counts.allocations += blocks;
            counts.bytes += blocks * e.bytes;
            ++allocations_;
        }
    }
    [[gnu::noinline]] void first(const wire::raw_event& e) {
        const std::uint32_t stack = known(e.stack);
        if (stack >= image_.counts.size()) {
            grow(stack);
            counts_ = image_.counts;
        }
        image_.calls[stack] = e.call;
    }
    void grow(std::uint32_t stack) {
        const std::size_t size = std::max<std::size_t>(2 * std::size_t{stack}, 256);
        image_.counts.resize(size);
        image_.calls.resize(size);
    }
    [[gnu::noinline, gnu::cold]] void follow(const wire::raw_event& e) {
        if (How == chunk_taking::passed && e.kind == event_kind::allocation) {
            first(e); // it may be counted in no chunk
        }
        switch (e.kind) {
        case event_kind::allocation:
            to_.short_.allocate(e.ticks, e.address, e.bytes, known(e.stack));
            break;
        case event_kind::release:
            to_.short_.release(e.ticks, e.address);
            break;
        case event_kind::reallocation:
            if (e.old_address == 0) {
                wire::raw_event as = e;
                as.kind = event_kind::allocation;
                return on_event(as);
            }
            to_.short_.move(e.ticks, e.old_address, e.address, e.bytes, known(e.stack));
            break;
        default:
            break;
        }
    }

    sample_filter filter_;
    std::span<site_counts> counts_;
    std::uint64_t skipped_;
    std::uint64_t weight_;
    std::uint64_t allocations_ = 0; ///< counted, where a chunk may stand for several
    live_counts& to_;
    image_state& image_;
    const wire::chunk_header& header_;
};

live_counts::image_state& live_counts::image_of(const wire::chunk_header& header) {
    image_state& image = images_[header.image];
    image.pid = header.pid;
    threads_[header.thread] = header.image;
    return image;
}

/// What of the chunk was taken already. Whether it is counted is decided once.
live_counts::seen_part live_counts::seen_of(const wire::chunk_header& header) const {
    const auto seen = seen_.find(header.stream);
    return seen != seen_.end() && seen->second.sequence == header.sequence
               ? seen->second
               : seen_part{header.sequence, 0, 0, share_.weight_of(header.stream, header.sequence)};
}

/// Gives `decode` the sink for a chunk.
template <class Decode>
auto live_counts::take(const wire::chunk_header& header, const seen_part& before, Decode decode) {
    const auto with = [&]<chunk_taking How>() {
        sink<How> to{*this, image_of(header), header, before};
        return decode(to);
    };
    return before.events != 0 || weight_.is_sample() ? with.template operator()<chunk_taking::careful>()
           : before.weight == 0                      ? with.template operator()<chunk_taking::passed>()
           : before.weight == 1                      ? with.template operator()<chunk_taking::whole>()
                                                     : with.template operator()<chunk_taking::sampled>();
}

chunk_frame live_counts::look(std::span<unsigned char> chunk) {
    const wire::chunk_header header = header_of(chunk.data());
    if (header.magic != wire::chunk_magic) {
        return frame_of_chunk(chunk); // claimed, and nothing more
    }
    const std::lock_guard lock{mutex_};
    const seen_part before = seen_of(header);
    chunk_frame frame = take(header, before, [&](auto& to) { return frame_of_chunk(chunk, to); });
    events_ += frame.header.events - std::min<std::uint64_t>(before.events, frame.header.events);
    if (const auto part = seen_.find(header.stream);
        part != seen_.end() && part->second.sequence <= header.sequence) {
        seen_.erase(part);
    }
    return frame;
}

/// Takes what a thread has written so far into a chunk that it holds.
void live_counts::peek(const wire::ring& ring, std::uint32_t chunk) {
    const wire::chunk_word word = ring.word(chunk);
    const unsigned char* const at = ring.chunk(chunk);
    const wire::chunk_header header = header_of(at);
    if (word.state != wire::chunk_state::owned || header.magic != wire::chunk_magic ||
        (only_pid_ != 0 && header.pid != only_pid_)) {
        return;
    }
    {
        const std::lock_guard lock{mutex_};
        const auto seen = seen_.find(header.stream);
        if (seen != seen_.end() && seen->second.sequence == header.sequence &&
            (seen->second.used >= wire::chunk_bytes ||
             __atomic_load_n(at + seen->second.used, __ATOMIC_RELAXED) == 0)) {
            return; // nothing new
        }
    }
    copy_.resize(wire::chunk_bytes);
    copy_upwards(at, copy_.data(), wire::chunk_bytes);
    const std::lock_guard lock{mutex_};
    // A chunk that changed hands meanwhile comes to look(), and has not yet: that would need the lock.
    const wire::chunk_header now = header_of(at);
    if (ring.word(chunk).pack() != word.pack() || now.stream != header.stream ||
        now.sequence != header.sequence || header_of(copy_.data()).sequence != header.sequence) {
        return;
    }
    const seen_part before = seen_of(header);
    const wire::decoded_chunk decoded = take(
        header, before, [&](auto& to) { return wire::decode_chunk(std::as_bytes(std::span{copy_}), to); });
    events_ += decoded.events - std::min(before.events, decoded.events);
    seen_[header.stream] = {header.sequence, decoded.events, decoded.used, before.weight};
}

/// A process that has ended has no blocks; what it counted is kept until its last chunks have come.
void live_counts::drop_ended() {
    for (auto at = images_.begin(); at != images_.end();) {
        image_state& image = at->second;
        if (!image.has_ended && (image.pid == 0 || is_thread_alive(image.pid, 0))) {
            ++at;
            continue;
        }
        blocks_.forget(at->first);
        if (++image.rounds_dead < rounds_to_keep) {
            ++at;
            continue;
        }
        std::erase_if(threads_, [&](const auto& thread) { return thread.second == at->first; });
        at = images_.erase(at);
    }
}

void live_counts::update(const ring_file& file, double seconds) {
    const wire::ring& ring = file.ring();
    const std::uint64_t now = ticks();
    for (std::uint32_t i = 0; i != ring.chunk_count(); ++i) {
        if (ring.word(i).state == wire::chunk_state::owned) {
            peek(ring, i);
        }
    }
    const bool is_all_here = ring.in_flight() == 0;
    const std::lock_guard lock{mutex_};
    dropped_ = ring.header().dropped.load(std::memory_order_relaxed);
    // What the workers still hold may be earlier than what is here, but hardly earlier than the last update.
    blocks_.settle(is_all_here ? now : settled_);
    settled_ = now;
    share_.tell_rate(static_cast<double>(events_ - events_before_), seconds - seconds_before_);
    events_before_ = events_;
    seconds_before_ = seconds;
    was_estimated_ = was_estimated_ || share_.one_in() > 1;
    drop_ended();
}

live_figures live_counts::figures() const {
    const std::lock_guard lock{mutex_};
    live_figures all;
    all.events = static_cast<double>(events_);
    all.dropped = static_cast<double>(dropped_);
    all.one_in = blocks_.one_in();
    all.one_chunk_in = share_.one_in();
    all.error = share_.error();
    all.is_estimated = was_estimated_;
    all.processes = images_.size();
    all.threads = threads_.size();
    for (const auto& [number, image] : images_) {
        const std::vector<live_sums>& sums = blocks_.sums(number);
        for (std::uint32_t stack = 0; stack != image.counts.size(); ++stack) {
            const site_counts& counts = image.counts[stack];
            if (counts.allocations == 0 && (stack >= sums.size() || sums[stack].blocks == 0)) {
                continue;
            }
            site_figures& site = all.sites.emplace_back(site_figures{
                {number, stack}, static_cast<double>(counts.allocations), static_cast<double>(counts.bytes)});
            if (stack < sums.size()) {
                site.live_blocks = sums[stack].blocks;
                site.live_bytes = sums[stack].bytes;
            }
        }
    }
    return all;
}

std::optional<site_place> live_counts::place(const site_key& site) const {
    const std::lock_guard lock{mutex_};
    const auto image = images_.find(site.image);
    if (image == images_.end() || site.stack >= image->second.counts.size()) {
        return std::nullopt;
    }
    site_place place;
    if (site.stack != 0) {
        std::optional<std::vector<place_frame>> frames = image->second.names->frames(site.stack);
        if (!frames) {
            return std::nullopt;
        }
        place.frames = std::move(*frames);
    }
    place.rtti = image->second.names->type_of(site.stack);
    place.call = image->second.calls[site.stack];
    if (const std::vector<live_sums>& sums = blocks_.sums(site.image); site.stack < sums.size()) {
        for (const std::uint64_t size : sums[site.stack].sizes) {
            if (size != 0) {
                place.sizes.push_back(size);
            }
        }
    }
    if (place.sizes.empty()) {
        const site_counts& counts = image->second.counts[site.stack];
        place.sizes.push_back(counts.bytes / std::max<std::uint64_t>(counts.allocations, 1));
    }
    return place;
}

} // namespace linn::tool::live
