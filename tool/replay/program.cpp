// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

namespace linn::tool {
namespace {

using replay_format::op;

/// What asks for a block, and what releases it, whatever released it in the recorded run: the replay must not mix the families.
struct block_family {
    allocation_call call;
    op allocation;
    op release;
};
constexpr block_family families[] = {
    {allocation_call::malloc, op::malloc, op::free}, // and of all that are not here
    {allocation_call::calloc, op::calloc, op::free},
    {allocation_call::aligned, op::aligned, op::free},
    {allocation_call::operator_new, op::new_object, op::delete_object},
    {allocation_call::operator_new_array, op::new_array, op::delete_array},
    {allocation_call::operator_new_aligned, op::new_aligned, op::delete_aligned},
    {allocation_call::operator_new_array_aligned, op::new_array_aligned, op::delete_array_aligned},
};

op op_of_call(allocation_call call) noexcept {
    const auto* const found = std::ranges::find(families, call, &block_family::call);
    return found == std::end(families) ? op::malloc : found->allocation;
}

op release_of(op allocation) noexcept {
    const auto* const found = std::ranges::find(families, allocation, &block_family::allocation);
    return found == std::end(families) ? op::free : found->release;
}

bool is_aligned(op allocation) noexcept {
    return allocation == op::aligned || allocation == op::new_aligned || allocation == op::new_array_aligned;
}

bool is_operator_new(op allocation) noexcept {
    return release_of(allocation) != op::free;
}

/// One word, or two where the block is large or aligned.
void write_op(word_stream& words, op what, std::uint8_t flags, std::uint8_t group, std::uint64_t bytes,
              unsigned alignment_log2, std::uint32_t slot) {
    if (bytes <= replay_format::largest_narrow && alignment_log2 == 0) {
        words.append(replay_format::pack(what, flags, group, bytes, slot));
        return;
    }
    const std::array<std::uint64_t, 2> both{
        replay_format::pack(what, flags | replay_format::wide_flag, group, 0, slot),
        replay_format::pack_wide(bytes, alignment_log2)};
    words.append(both);
}

/// A request for nothing may return null, which a slot cannot hold; and no allocator gives less than this.
std::uint64_t bytes_of(const event& e) noexcept {
    return std::clamp<std::uint64_t>(e.bytes, 1, replay_format::size_mask);
}

constexpr std::uint32_t most_run = 512;

} // namespace

program_builder::program_builder(const std::filesystem::path& folder,
                                 std::vector<std::uint8_t> group_of_stack, program_limits limits)
    : file_{folder},
      group_of_stack_{std::move(group_of_stack)},
      limits_{limits} {
    limits_.most_streams = std::clamp<std::uint32_t>(limits_.most_streams, 1, no_stream - 1);
    file_.reserve(sizeof(replay_format::program_header));
}

void program_builder::add(const event& e) {
    switch (e.kind) {
    case event_kind::allocation:
        return allocate(e, op_of_call(e.call));
    case event_kind::release:
        return release(e);
    case event_kind::reallocation:
        return reallocate(e);
    case event_kind::failure:
        ++summary_.failures;
        return;
    case event_kind::fill:
        return;
    }
}

std::uint16_t program_builder::stream_of(std::uint32_t thread) {
    if (thread >= streams_of_threads_.size()) {
        streams_of_threads_.resize(thread + 1, no_stream);
    }
    std::uint16_t& number = streams_of_threads_[thread];
    if (number == no_stream) {
        ++summary_.threads;
        number = streams_.size() < limits_.most_streams ? begin_stream() : longest_silent();
    }
    return number;
}

std::uint16_t program_builder::begin_stream() {
    const auto number = static_cast<std::uint16_t>(streams_.size());
    // Who created the thread is not recorded; that it exists now is, so the thread that was heard last starts it.
    if (number != 0) {
        streams_[current_].words.append(replay_format::pack(op::start, 0, 0, 0, number));
    }
    streams_.emplace_back(file_);
    return number;
}

std::uint16_t program_builder::longest_silent() const {
    // The first is the main thread, which seldom ends before the others.
    const auto first = streams_.begin() + (streams_.size() > 1 ? 1 : 0);
    const auto found = std::min_element(
        first, streams_.end(), [](const stream& a, const stream& b) { return a.last_event < b.last_event; });
    return static_cast<std::uint16_t>(found - streams_.begin());
}

program_builder::stream& program_builder::enter(std::uint16_t number) {
    stream& s = streams_[number];
    const std::uint64_t window = std::max<std::uint64_t>(limits_.window, streams_.size() * 64);
    if (epochs_.empty() || (streams_.size() > 1 && events_in_epoch_ >= window)) {
        epochs_.push_back(0);
        events_in_epoch_ = 0;
    }
    const auto epoch = static_cast<std::uint32_t>(epochs_.size() - 1);
    if (s.epoch != epoch) {
        s.words.append(replay_format::pack(op::epoch, 0, 0, 0, epoch));
        s.epoch = epoch;
        ++epochs_.back();
    }
    ++events_in_epoch_;
    s.last_event = ++summary_.events;
    current_ = number;
    return s;
}

std::uint32_t program_builder::fresh_slot(std::uint16_t number, unsigned size_class) {
    stream& s = streams_[number];
    if (s.next_slot == s.last_slot) {
        // A run at a time, so that streams do not write to one cache line of slots.
        if (slot_keys_.size() > std::numeric_limits<std::uint32_t>::max() - most_run) {
            throw std::runtime_error{"the trace has more live blocks than a replay can hold"};
        }
        s.next_slot = static_cast<std::uint32_t>(slot_keys_.size());
        slot_keys_.resize(slot_keys_.size() + s.run);
        generations_.resize(slot_keys_.size());
        s.last_slot = static_cast<std::uint32_t>(slot_keys_.size());
        s.run = std::min(s.run * 2, most_run);
    }
    slot_keys_[s.next_slot] = std::uint32_t{number} << 8 | size_class;
    return s.next_slot++;
}

/// Finds a slot for a block of its stream; returns whether the stream must wait for it.
bool program_builder::give_slot(block& b) {
    const taken_slot slot =
        streams_[b.stream].slots.take(b.bytes, [&](unsigned c) { return fresh_slot(b.stream, c); });
    b.slot = slot.number;
    b.generation = generations_[b.slot]++;
    return slot.waits;
}

std::uint8_t program_builder::group_of(const event& e) const noexcept {
    return e.stack < group_of_stack_.size() ? group_of_stack_[e.stack] : std::uint8_t{0};
}

void program_builder::remember(std::uint64_t address, const block& b) {
    // The thread that released the old block is about to say so: it lost its turn between the two.
    if (const auto old = live_.take(address)) {
        displaced_[address].push_back(*old);
        ++summary_.reused_addresses;
    }
    live_.insert(address, b);
    ++live_blocks_;
    live_bytes_ += b.bytes;
    summary_.peak_live_blocks = std::max(summary_.peak_live_blocks, live_blocks_);
    summary_.peak_live_bytes = std::max(summary_.peak_live_bytes, live_bytes_);
}

std::optional<program_builder::block> program_builder::forget(std::uint64_t address) {
    std::optional<block> found;
    if (!displaced_.empty()) {
        if (const auto late = displaced_.find(address); late != displaced_.end()) {
            found = late->second.front();
            late->second.erase(late->second.begin());
            if (late->second.empty()) {
                displaced_.erase(late);
            }
        }
    }
    if (!found) {
        found = live_.take(address);
    }
    if (found) {
        --live_blocks_;
        live_bytes_ -= found->bytes;
    }
    return found;
}

void program_builder::allocate(const event& e, op how) {
    if (e.address == 0) {
        return;
    }
    const std::uint16_t number = stream_of(e.thread);
    stream& s = enter(number);
    block b{};
    b.bytes = bytes_of(e);
    b.thread = e.thread;
    b.stream = number;
    b.group = group_of(e);
    b.alignment_log2 = is_aligned(how) ? e.alignment_log2 : std::uint8_t{0};
    b.how = how;
    const bool waits = give_slot(b);
    write_op(s.words, how, waits ? replay_format::waits_flag : std::uint8_t{0}, b.group, b.bytes,
             b.alignment_log2, b.slot);
    summary_.checksum += replay_format::mix(b.bytes, b.slot);
    ++summary_.allocations;
    summary_.by_operator_new += is_operator_new(how) ? 1u : 0u;
    remember(e.address, b);
}

void program_builder::write_release(const block& b, std::uint16_t by, std::uint32_t thread) {
    const bool is_remote = b.stream != by;
    word_stream& words = enter(by).words;
    if (is_remote) {
        const std::array<std::uint64_t, 2> both{
            replay_format::pack(release_of(b.how), replay_format::waits_flag | replay_format::wide_flag,
                                b.group, b.generation, b.slot),
            replay_format::pack_wide(b.bytes, b.alignment_log2)};
        words.append(both);
    } else {
        write_op(words, release_of(b.how), 0, b.group, b.bytes, b.alignment_log2, b.slot);
    }
    summary_.hand_overs += b.thread != thread ? 1u : 0u;
    streams_[b.stream].slots.give(b.slot, b.bytes, is_remote);
}

void program_builder::release(const event& e) {
    const auto b = forget(e.address);
    if (!b) {
        ++summary_.unknown_releases;
        return;
    }
    write_release(*b, stream_of(e.thread), e.thread);
}

void program_builder::reallocate(const event& e) {
    const auto old = e.old_address == 0 ? std::nullopt : forget(e.old_address);
    if (!old && e.old_address != 0) {
        ++summary_.unknown_releases;
    }
    const std::uint16_t number = stream_of(e.thread);
    if (!old) {
        return allocate(e, op::malloc);
    }
    if (e.address == 0) {
        return write_release(*old, number, e.thread);
    }
    if (is_operator_new(old->how)) { // the recorded program mixed the families; the replay must not
        write_release(*old, number, e.thread);
        return allocate(e, op::malloc);
    }
    stream& s = enter(number);
    block b{};
    b.bytes = bytes_of(e);
    b.thread = e.thread;
    b.stream = number;
    b.group = group_of(e);
    b.how = op::malloc;
    const bool is_remote = old->stream != number;
    bool waits = false;
    if (!is_remote && slot_class(b.bytes) == slot_class(old->bytes)) {
        b.slot = old->slot;
        b.generation = generations_[b.slot]++;
    } else {
        waits = give_slot(b);
        streams_[old->stream].slots.give(old->slot, old->bytes, is_remote);
    }
    const std::array<std::uint64_t, 4> words{
        replay_format::pack(op::realloc, is_remote ? replay_format::waits_flag : std::uint8_t{0}, old->group,
                            0, old->slot),
        replay_format::pack_realloc(waits ? replay_format::waits_flag : std::uint8_t{0}, b.group,
                                    old->generation, b.slot),
        replay_format::pack_wide(old->bytes, old->alignment_log2), replay_format::pack_wide(b.bytes, 0)};
    s.words.append(words);
    summary_.hand_overs += old->thread != e.thread ? 1u : 0u;
    summary_.checksum += replay_format::mix(b.bytes, b.slot);
    remember(e.address, b);
}

void program_builder::write_tables(replay_format::program_header& header) {
    std::vector<std::uint64_t> begins;
    for (const stream& s : streams_) {
        begins.push_back(s.words.begin());
    }
    // Blocks of one stream and class lie side by side, as in an allocator that knows sizes and threads.
    std::map<std::uint32_t, std::uint64_t> places_of_key;
    for (const std::uint32_t key : slot_keys_) {
        places_of_key[key] += slot_class_bytes(std::max(key & 0xff, std::uint32_t{1}));
    }
    std::uint64_t next = 0;
    for (auto& [key, bytes] : places_of_key) {
        bytes = std::exchange(next, (next + bytes + 63) / 64 * 64);
    }
    header.null_bytes = next;
    std::vector<std::uint64_t> places;
    places.reserve(slot_keys_.size());
    for (const std::uint32_t key : slot_keys_) {
        std::uint64_t& place = places_of_key[key];
        places.push_back(place);
        place += slot_class_bytes(std::max(key & 0xff, std::uint32_t{1}));
    }
    const auto write = [&](std::uint64_t& at, const auto& list) {
        at = file_.reserve((list.size() * sizeof list[0] + 7) / 8 * 8);
        file_.write(at, list.data(), list.size() * sizeof list[0]);
    };
    write(header.streams_at, begins);
    write(header.places_at, places);
    write(header.epochs_at, epochs_);
}

replay_program program_builder::finish() {
    for (stream& s : streams_) {
        s.words.append(replay_format::pack(op::end, 0, 0, 0, 0));
        s.words.finish();
    }
    summary_.streams = streams_.size();
    summary_.live_blocks_at_end = live_blocks_;
    replay_format::program_header header{};
    std::memcpy(header.magic, replay_format::program_magic, sizeof header.magic);
    header.version = replay_format::program_version;
    header.streams = static_cast<std::uint32_t>(streams_.size());
    header.slots = slot_keys_.size();
    header.events = summary_.events;
    header.checksum = summary_.checksum;
    header.epochs = epochs_.size();
    write_tables(header);
    file_.write(0, &header, sizeof header);
    return {std::move(file_), summary_};
}

} // namespace linn::tool
