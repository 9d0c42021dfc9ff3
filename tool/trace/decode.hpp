// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "chunk.hpp"
#include "event.hpp"

#include <array>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

namespace linn::tool::wire {

/// An event as a chunk holds it: in ticks, with the image's own stack ids.
struct raw_event {
    std::uint64_t ticks = 0; ///< of the time stamp counter, in steps of 16
    std::uint64_t address = 0;
    std::uint64_t old_address = 0; ///< of a reallocation, also of one that failed
    std::uint64_t bytes = 0;
    std::uint32_t stack = 0;
    event_kind kind = event_kind::allocation;
    allocation_call call = allocation_call::none;
    std::uint8_t alignment_log2 = 0;
};

struct stack_record {
    std::uint64_t ticks = 0;
    std::uint32_t id = 0;
    std::span<const std::uint64_t> frames; ///< return addresses in memory, innermost first
};
struct process_record {
    std::uint64_t ticks = 0;
    std::uint8_t origin = 0; ///< as trace_process::origin
    std::uint32_t parent_image = 0;
    std::uint32_t pid = 0;
    std::string_view words; ///< the executable, then the arguments, each ended by a zero byte
};
struct module_record {
    std::uint64_t ticks = 0;
    std::uint32_t number = 0;
    std::uint64_t bias = 0;
    std::uint64_t begin = 0; ///< in memory
    std::uint64_t end = 0;
    std::span<const unsigned char> build_id;
    std::string_view path;
};

struct timed_record {
    call_timing timing;
    bool is_of_release = false; ///< the last one; otherwise of the next allocation or reallocation
};

/// Damage that no bytes of this version have: of a chunk whose checksum is right, another linn wrote it.
inline constexpr const char* unknown_event = "it holds an event of an unknown kind";

/// Takes what decode_chunk() finds; derive from it and hide what you want.
struct chunk_sink {
    void on_event(const raw_event&) {}
    void on_stack(const stack_record&) {}
    void on_process(const process_record&) {}
    void on_thread_name(std::uint64_t /*ticks*/, std::string_view) {}
    void on_module(const module_record&) {}
    void on_unloaded(std::uint64_t /*ticks*/, std::uint32_t /*number*/) {}
    void on_rtti(std::uint64_t /*ticks*/, std::uint32_t /*stack*/, std::string_view) {}
    void on_timed(std::uint64_t /*ticks*/, const timed_record&) {}
};

/// How decoding a chunk went.
struct decoded_chunk {
    chunk_header header;
    std::uint64_t events = 0;     ///< given to on_event()
    std::uint64_t records = 0;    ///< of stacks, processes, modules, threads and types
    std::uint64_t dropped = 0;    ///< events, as records say
    std::uint64_t last_ticks = 0; ///< of the last event; first_ticks if there is none
    std::size_t used = 0;         ///< bytes understood, header included
    const char* damage = nullptr; ///< why it stopped there; null: at its end
};

/// Reads behind a bound; once something was missing, `good` is false and all reads give 0.
class record_reader {
public:
    record_reader(const unsigned char* at, const unsigned char* end) noexcept : at_(at), end_(end) {}

    bool good() const noexcept { return good_; }
    const unsigned char* position() const noexcept { return at_; }
    std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }

    std::uint8_t byte() noexcept {
        if (at_ == end_) {
            return fail();
        }
        return *at_++;
    }
    std::uint64_t varint() noexcept {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64 && at_ != end_; shift += 7) {
            const std::uint64_t b = *at_++;
            value |= (b & 0x7f) << shift;
            if (b < 0x80) {
                return value;
            }
        }
        return fail();
    }
    std::uint32_t id() noexcept {
        const std::uint64_t value = varint();
        return value <= 0xffff'ffff ? static_cast<std::uint32_t>(value) : fail();
    }
    std::uint64_t difference() noexcept {
        const std::uint64_t value = varint();
        return (value >> 1) ^ (0 - (value & 1));
    }
    std::span<const unsigned char> bytes(std::size_t count) noexcept {
        if (count > left()) {
            fail();
            return {};
        }
        at_ += count;
        return {at_ - count, count};
    }
    std::string_view rest() noexcept {
        const std::size_t count = left();
        return {reinterpret_cast<const char*>(bytes(count).data()), count};
    }

private:
    std::uint8_t fail() noexcept {
        good_ = false;
        at_ = end_;
        return 0;
    }
    const unsigned char* at_;
    const unsigned char* end_;
    bool good_ = true;
};

/// Decodes a chunk, telling `sink` (as chunk_sink) what it holds, in order. To get its events by and by: open(), then step().
template <typename Sink>
class chunk_decoder {
public:
    chunk_decoder(std::span<const std::byte> chunk, Sink& sink) noexcept
        : begin_(reinterpret_cast<const unsigned char*>(chunk.data())),
          end_(begin_ + chunk.size()),
          sink_(sink) {}

    /// What was found so far.
    const decoded_chunk& result() const noexcept { return result_; }

    /// Reads the header; false where result().damage says why the rest cannot be read.
    bool open() {
        if (static_cast<std::size_t>(end_ - begin_) < sizeof(chunk_header)) {
            result_.damage = "it is shorter than a chunk's header";
            return false;
        }
        std::memcpy(&result_.header, begin_, sizeof(chunk_header));
        const chunk_header& h = result_.header;
        result_.last_ticks = h.first_ticks;
        if (h.magic != chunk_magic) {
            result_.damage = "it does not begin as a chunk";
        } else if (h.version != chunk_version) {
            result_.damage = "its version is another";
        } else if (h.header_bytes < sizeof(chunk_header) ||
                   h.header_bytes > static_cast<std::size_t>(end_ - begin_)) {
            result_.damage = "its header has an impossible length";
        }
        if (result_.damage != nullptr) {
            return false;
        }
        clock_ = h.first_ticks >> tick_shift;
        if (h.used != 0 && h.used <= static_cast<std::size_t>(end_ - begin_)) {
            end_ = begin_ + h.used;
        }
        // A cut header length would lie behind the end of the used bytes.
        at_ = begin_ + h.header_bytes <= end_ ? begin_ + h.header_bytes : end_;
        return true;
    }

    /// Goes on until `until` events have been told in all; false at the chunk's end. @pre open()
    bool step(std::uint64_t until = ~std::uint64_t{0}) {
        while (result_.events < until && result_.damage == nullptr && at_ != end_ && *at_ != 0) {
            if (*at_ >= 0x40 && static_cast<std::size_t>(end_ - at_) >= hot_room) {
                ++result_.events;
                sink_.on_event(hot(at_));
            } else {
                result_.damage = *at_ >= 0x40 ? hot_at_the_end() : cold();
            }
        }
        const bool is_over = result_.damage != nullptr || at_ == end_ || *at_ == 0;
        if (is_over && result_.damage == nullptr && result_.header.used != 0 && at_ != end_) {
            result_.damage = "it ends before its end";
        }
        result_.used = static_cast<std::size_t>(at_ - begin_);
        if (result_.events != 0) {
            result_.last_ticks = clock_ << tick_shift;
        }
        return !is_over;
    }

private:
    /// The most that hot() reads, for any bytes.
    static constexpr std::size_t hot_room = 32;

    struct slot {
        std::uint64_t bytes = 0;
        std::uint32_t stack = 0;
        allocation_call call = allocation_call::none;
        std::uint8_t alignment_log2 = 0;
    };

    static std::uint64_t load(const unsigned char* from) noexcept {
        std::uint64_t value = 0;
        std::memcpy(&value, from, sizeof value);
        return value;
    }
    /// 0, 1, 2 or 4; and 1, 2, 3 or 6: without a branch that a processor could guess wrong.
    static unsigned clock_bytes(unsigned tag) noexcept { return 0x4210u >> (tag >> 2 & 0xc) & 0xf; }
    static unsigned address_bytes(unsigned tag) noexcept { return 0x6321u >> (tag & 0xc) & 0xf; }
    static std::uint64_t lowest(std::uint64_t value, unsigned bytes) noexcept {
        return value & ((std::uint64_t{1} << (8 * bytes)) - 1);
    }

    // Reads at most 1 + 4 + 6 + 1 + 8 bytes, and loads eight at a time.
    [[gnu::always_inline]] inline raw_event hot(const unsigned char*& at) {
        const unsigned tag = *at;
        const unsigned clock_size = clock_bytes(tag);
        const unsigned address_size = address_bytes(tag);
        const unsigned char* p = at + 1;
        clock_ += lowest(load(p), clock_size);
        p += clock_size;
        const std::uint64_t d = lowest(load(p), address_size);
        p += address_size;
        base_ += (d >> 1) ^ (0 - (d & 1));
        raw_event e;
        e.ticks = clock_ << tick_shift;
        e.address = base_ << address_shift;
        if ((tag & 0x80) != 0) {
            slot& s = slots_[p[0] | (tag & 1u) << 8];
            ++p;
            if ((tag & 0x40) != 0) {
                const std::uint64_t size = load(p);
                const bool is_long = (size & 1) != 0;
                s.bytes = is_long ? size >> 1 : (size & 0xffff) >> 1;
                p += is_long ? 8 : 2;
            }
            e.address |= (tag & 2u) << 2;
            e.kind = event_kind::allocation;
            e.bytes = s.bytes;
            e.stack = s.stack;
            e.call = s.call;
            e.alignment_log2 = s.alignment_log2;
        } else {
            e.kind = event_kind::release;
            const unsigned which = tag & 3;
            if (which == 3) {
                e.address |= 8;
            } else {
                last_release_ =
                    static_cast<allocation_call>(static_cast<unsigned>(allocation_call::free) + which);
            }
            e.call = last_release_;
        }
        at = p;
        return e;
    }

    const char* hot_at_the_end() {
        std::array<unsigned char, 2 * hot_room> copy{};
        const auto left = static_cast<std::size_t>(end_ - at_);
        std::memcpy(copy.data(), at_, left);
        const unsigned char* at = copy.data();
        const raw_event e = hot(at);
        const auto used = static_cast<std::size_t>(at - copy.data());
        if (used > left) {
            return "an event is cut off";
        }
        at_ += used;
        ++result_.events;
        sink_.on_event(e);
        return nullptr;
    }

    const char* cold() {
        const unsigned tag = *at_;
        if (tag >= first_record) {
            return record(tag);
        }
        record_reader in{at_ + 1, end_};
        const char* const damage = cold_event(static_cast<entry>(tag), in);
        if (damage == nullptr) {
            at_ = in.position();
        }
        return damage;
    }

    const char* cold_event(entry what, record_reader& in) {
        static_assert(static_cast<int>(event_kind::failure) == static_cast<int>(entry::failure) - 1);
        raw_event e;
        e.kind = static_cast<event_kind>(static_cast<int>(what) - 1);
        unsigned low = 0;
        unsigned slot_index = 0;
        const std::uint64_t clock = clock_;
        switch (what) {
        case entry::allocation: {
            e.call = static_cast<allocation_call>(in.byte());
            e.alignment_log2 = in.byte();
            slot_index = in.byte();
            const unsigned more = in.byte();
            slot_index |= (more & 1) << 8;
            low = more >> 4;
            break;
        }
        case entry::release: {
            const unsigned both = in.byte();
            e.call = static_cast<allocation_call>(both & 15);
            low = both >> 4;
            break;
        }
        case entry::reallocation:
            e.call = allocation_call::realloc;
            low = in.byte();
            break;
        case entry::failure:
            e.call = static_cast<allocation_call>(in.byte());
            e.alignment_log2 = in.byte();
            break;
        default:
            return unknown_event;
        }
        clock_ += in.varint();
        e.ticks = clock_ << tick_shift;
        const auto address = [&](unsigned lowest_bits) {
            base_ += in.difference();
            return base_ << address_shift | (lowest_bits & 15);
        };
        if (what == entry::reallocation) {
            e.old_address = address(low);
            low >>= 4;
        }
        if (what != entry::failure) {
            e.address = address(low);
        }
        if (what != entry::release) {
            e.bytes = in.varint();
            e.stack = in.id();
        }
        if (what == entry::failure) {
            e.old_address = in.varint();
        }
        const bool known = e.call <= allocation_call::operator_delete_array && e.alignment_log2 < 64;
        if (!in.good() || !known) {
            clock_ = clock; // of the last event
            return in.good() ? "an event makes no sense" : "an event is cut off";
        }
        if (what == entry::allocation) {
            slots_[slot_index] = {e.bytes, e.stack, e.call, e.alignment_log2};
        } else if (what == entry::release) {
            last_release_ = e.call;
        }
        ++result_.events;
        sink_.on_event(e);
        return nullptr;
    }

    const char* record(unsigned tag) {
        record_reader outer{at_ + 1, end_};
        const std::uint64_t length = outer.varint();
        if (!outer.good() || length > outer.left()) {
            return "a record is cut off";
        }
        const unsigned char* const next = outer.position() + length;
        record_reader in{outer.position(), next};
        const std::uint64_t ticks = result_.header.first_ticks + in.varint();
        const char* const damage = record(static_cast<entry>(tag), ticks, in);
        if (damage != nullptr || !in.good()) {
            return damage != nullptr ? damage : "a record makes no sense";
        }
        at_ = next;
        result_.records += tag <= static_cast<unsigned>(entry::rtti) ? 1U : 0U;
        return nullptr;
    }

    const char* record(entry what, std::uint64_t ticks, record_reader& in) {
        switch (what) {
        case entry::stack: {
            const std::uint32_t id = in.id();
            const std::uint64_t count = in.varint();
            if (count > frames_.size()) {
                return "a stack is too deep";
            }
            std::uint64_t address = 0;
            for (std::size_t i = 0; i != count; ++i) {
                address += in.difference();
                frames_[i] = address;
            }
            if (in.good()) {
                sink_.on_stack({ticks, id, std::span<const std::uint64_t>{frames_.data(), count}});
            }
            break;
        }
        case entry::process: {
            process_record p;
            p.ticks = ticks;
            p.origin = in.byte();
            p.parent_image = in.id();
            p.pid = in.id();
            in.id(); // the parent's pid
            if (!in.good() || p.origin > 2) {
                return "a process record is invalid";
            }
            p.words = in.rest();
            sink_.on_process(p);
            break;
        }
        case entry::thread:
            if (in.good()) {
                sink_.on_thread_name(ticks, in.rest());
            }
            break;
        case entry::module_loaded: {
            module_record m;
            m.ticks = ticks;
            m.number = in.id();
            m.bias = in.varint();
            m.begin = in.varint();
            m.end = in.varint();
            m.build_id = in.bytes(in.byte());
            if (in.good()) {
                m.path = in.rest();
                sink_.on_module(m);
            }
            break;
        }
        case entry::module_unloaded: {
            const std::uint32_t number = in.id();
            if (in.good()) {
                sink_.on_unloaded(ticks, number);
            }
            break;
        }
        case entry::rtti: {
            const std::uint32_t stack = in.id();
            if (in.good()) {
                sink_.on_rtti(ticks, stack, in.rest());
            }
            break;
        }
        case entry::dropped:
            result_.dropped += in.varint(); // none where it is cut off
            break;
        case entry::timed: {
            timed_record t;
            const std::uint8_t bits = in.byte();
            t.is_of_release = (bits & 1) != 0;
            t.timing.is_fenced = (bits & 2) != 0;
            t.timing.ticks = in.id();
            t.timing.weight = static_cast<std::uint16_t>(in.varint());
            if (in.good()) {
                sink_.on_timed(ticks, t);
            }
            break;
        }
        default: // of a newer recorder
            break;
        }
        return nullptr;
    }

    const unsigned char* begin_;
    const unsigned char* end_;
    const unsigned char* at_ = nullptr;
    Sink& sink_;
    std::uint64_t clock_ = 0;
    std::uint64_t base_ = 0;
    decoded_chunk result_;
    allocation_call last_release_ = allocation_call::free;
    std::array<slot, slot_count> slots_{};
    std::array<std::uint64_t, 256> frames_{};
};

/// Reads a chunk from its header to its end. For any bytes, it reads nothing outside them and stops at the first entry that makes no
/// sense. What was told before is good.
template <typename Sink>
decoded_chunk decode_chunk(std::span<const std::byte> chunk, Sink&& sink) {
    chunk_decoder<std::remove_reference_t<Sink>> decoder{chunk, sink};
    if (decoder.open()) {
        decoder.step();
    }
    return decoder.result();
}

} // namespace linn::tool::wire
