// SPDX-License-Identifier: Apache-2.0
// The reader of traces, and the statistics of what it reads: whatever is in the file, it ends, takes memory that the
// file's size explains, and gives no index out of range. The input is either the file itself or changes to a whole trace
// whose frames get right checksums again, so that they reach what is behind them.
#include "../../tool/support/made_trace.hpp"
#include "../support/expect.hpp"
#include "../support/memory_file.hpp"
#include "../support/operations.hpp"
#include "analysis/accumulator.hpp"
#include "trace/decode.hpp"
#include "trace/trace_file.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace linn_fuzz;
using namespace linn::tool;

using bytes = std::vector<unsigned char>;

struct frame {
    frame_header header;
    bytes payload;
};

/// The frames of a trace with everything that a trace can hold.
std::vector<frame> whole_trace() {
    const memory_file file{{}};
    {
        made_trace trace{file.path()};
        made_thread& a = trace.thread(1, 100, 1, 100, 400);
        made_thread& b = trace.thread(2, 200, 2, 200, 400);
        a.define_process(0, 0, 0, {"/bin/a", "a", "b"});
        a.define_module(0, 0, 0x400000, 0x400000, 0x500000, "0123", "/bin/a");
        b.define_process(3, 1, 1, {"/bin/a"});
        a.name_thread(1, "main");
        for (std::uint64_t i = 0; i != 60; ++i) {
            const auto stack = static_cast<std::uint32_t>(i / 10 + 1);
            if (i % 10 == 0) {
                a.define_stack(i, stack, {0x400100 + i, 0x400200});
            }
            a.allocate(i, 0x10000 + 48 * (i * 31 % 17), 16 + i, stack);
            b.release(i, 0x10000 + 48 * (i % 17));
            if (i % 15 == 0) {
                a.reallocate(i, 0x10000, 0x20000, 99, 1);
                b.fail(i, 1 << 30, 2);
                b.drop(i, 3);
                a.define_rtti(i, 1, "4Type");
            }
        }
        a.unload_module(100, 0);
    }
    std::vector<frame> frames;
    trace_file read{file.path()};
    for (const frame_place& place : read.frames()) {
        frame f{place.header, {}};
        expect(read.payload(place, f.payload), "a trace that we wrote is damaged");
        frames.push_back(std::move(f));
    }
    return frames;
}

struct trace_state {
    std::vector<frame> frames;
    bytes file; ///< what is between the frames and behind them is part of it
    bool is_packed = false;

    void pack() {
        frame_compressor compressor;
        file.assign(trace_magic.begin(), trace_magic.end());
        file.insert(file.end(), {1, 0, 0, 0, 0, 0, 0, 0});
        for (frame& f : frames) {
            const bool compresses = f.header.codec == frame_codec::zstd;
            frame_header h = f.header;
            std::span<const unsigned char> stored = f.payload;
            h.codec = frame_codec::stored;
            h.raw_bytes = h.stored_bytes = static_cast<std::uint32_t>(f.payload.size());
            h.payload_crc = crc_of(stored);
            if (compresses) {
                stored = compressor.compress(f.payload, 1, h);
            }
            const auto packed = h.pack();
            file.insert(file.end(), packed.begin(), packed.end());
            file.insert(file.end(), stored.begin(), stored.end());
        }
        is_packed = true;
    }
};

frame& chosen(trace_state& s, std::size_t which) {
    return s.frames[which % s.frames.size()];
}

/// Cuts `all` off at `from`, or inserts, erases or overwrites there. @pre from < all.size()
void change_bytes(bytes& all, std::size_t from, std::size_t kind, std::span<const std::uint8_t> fresh) {
    const auto place = all.begin() + static_cast<std::ptrdiff_t>(from);
    const std::size_t n = std::min(fresh.size(), all.size() - from);
    switch (kind) {
    case 0:
        all.resize(from);
        break;
    case 1:
        all.insert(place, fresh.begin(), fresh.end());
        break;
    case 2:
        all.erase(place, place + static_cast<std::ptrdiff_t>(n));
        break;
    default:
        std::copy_n(fresh.begin(), n, place);
    }
}

/// Other bytes in a payload: behind a right checksum.
void change_payload(trace_state& s, input& in) {
    const std::size_t which = in.below(256);
    const std::size_t at = in.below(1 << 12);
    const std::size_t kind = in.below(6);
    const std::span<const std::uint8_t> fresh = in.bytes(in.between(1, 16));
    if (s.frames.empty() || chosen(s, which).payload.empty()) {
        return;
    }
    bytes& p = chosen(s, which).payload;
    static constexpr std::uint8_t without_end[] = {0xff, 0xff, 0xff, 0xff, 0xff,
                                                   0xff, 0xff, 0xff, 0xff, 0xff};
    change_bytes(p, at % p.size(), kind, kind == 3 ? without_end : fresh);
}

void change_header(trace_state& s, input& in) {
    const std::size_t which = in.below(256);
    const std::size_t field = in.below(12);
    const std::size_t value = in.below(1 << 30);
    const bool is_small = in.flag();
    if (s.frames.empty()) {
        return;
    }
    frame_header& h = chosen(s, which).header;
    const auto v = static_cast<std::uint32_t>(is_small ? value % 4 : value * 4 + 3);
    static constexpr std::uint32_t frame_header::* numbers[] = {
        &frame_header::pid,    &frame_header::tid,      &frame_header::image,  &frame_header::stream,
        &frame_header::thread, &frame_header::sequence, &frame_header::events, &frame_header::records};
    if (field == 0) {
        h.kind = static_cast<frame_kind>(v % 6);
    } else if (field == 1) {
        h.codec = v % 2 == 0 ? frame_codec::zstd : frame_codec::stored;
    } else if (field == 10) {
        h.first_time = is_small ? v : static_cast<std::uint64_t>(v) << 32;
    } else if (field == 11) {
        h.dropped = v;
    } else {
        h.*numbers[field - 2] = v;
    }
}

/// Frames that come twice, not at all, or in another order.
void change_order(trace_state& s, input& in) {
    const std::size_t a = in.below(256);
    const std::size_t b = in.below(256);
    const std::size_t kind = in.below(3);
    if (s.frames.empty()) {
        return;
    }
    if (kind == 0) {
        std::swap(chosen(s, a), chosen(s, b));
    } else if (kind == 1 && s.frames.size() < 100) {
        const frame copy = chosen(s, a);
        s.frames.insert(s.frames.begin() + static_cast<std::ptrdiff_t>(b % s.frames.size()), copy);
    } else if (kind == 2) {
        s.frames.erase(s.frames.begin() + static_cast<std::ptrdiff_t>(a % s.frames.size()));
    }
}

/// A document's text, anything.
void change_document(trace_state& s, input& in) {
    const std::size_t which = in.below(256);
    const std::size_t kind = in.below(8);
    const std::span<const std::uint8_t> text = in.bytes(in.below(64));
    if (s.frames.empty()) {
        return;
    }
    static constexpr std::string_view documents[] = {
        "",
        "null",
        "[]",
        "{}",
        R"({"command": 5, "ticks_per_ns": "x", "depth": -1})",
        R"({"ticks_per_ns": 1e-300})",
        R"({"ticks_per_ns": -4, "start_ticks": 1.5, "events": 18446744073709551615})"};
    frame& f = chosen(s, which);
    if (kind < std::size(documents)) {
        f.payload.assign(documents[kind].begin(), documents[kind].end());
    } else {
        f.payload.assign(text.begin(), text.end());
    }
    f.header.kind = which % 2 == 0   ? frame_kind::start
                    : which % 4 == 1 ? frame_kind::end
                                     : frame_kind::aggregate;
}

/// Bytes of the file itself, which no checksum knows of.
void damage_file(trace_state& s, input& in) {
    const std::size_t at = in.below(1 << 16);
    const std::size_t kind = in.below(5);
    const std::span<const std::uint8_t> fresh = in.bytes(in.between(1, 100));
    if (!s.is_packed) {
        s.pack();
    }
    if (s.file.empty()) {
        return;
    }
    const std::size_t from = at % s.file.size();
    if (kind == 3) {
        s.file[from] = static_cast<unsigned char>(s.file[from] ^ 1U << at % 8);
    } else {
        change_bytes(s.file, from, kind, fresh);
    }
}

/// Reads all there is, and looks at every index.
void read(const bytes& content) {
    const memory_file file{content};
    try {
        trace_reader reader{file.path()};
        accumulator statistics;
        std::uint64_t events = 0;
        reader.read([&](std::span<const event> batch) {
            events += batch.size();
            const trace_info& info = reader.info();
            for (const event& e : batch) {
                expect(e.process < info.processes.size(), "an event's process is out of range");
                expect(e.thread < info.threads.size(), "an event's thread is out of range");
                expect(e.stack < info.stacks.size(), "an event's stack is out of range");
            }
            statistics.take(batch);
        });
        const trace_info& info = reader.info();
        expect_equal(events, info.events, "events");
        expect(info.rtti.size() <= info.stacks.size(), "types without stacks");
        for (const trace_thread& t : info.threads) {
            expect(t.process < info.processes.size(), "a thread's process is out of range");
        }
        for (const trace_process& p : info.processes) {
            expect(p.parent < info.processes.size(), "a process's parent is out of range");
        }
        for (const auto& stack : info.stacks) {
            for (const code_address& at : stack) {
                expect(at.module == code_address::unknown_module || at.module < info.modules.size(),
                       "a frame's module is out of range");
            }
        }
        const trace_analysis analysis = statistics.finish(info);
        expect_equal(analysis.all.live_bytes_at_peak, analysis.all.peak_live_bytes, "bytes at the peak");
    } catch (const unusable_input&) {
        // said so
    }
    expect_memory_below(1 << 20);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::vector<frame> whole = whole_trace();
    if (size >= trace_magic.size() && std::equal(trace_magic.begin(), trace_magic.end(), data)) {
        ++operations_performed;
        read(bytes{data, data + size});
        return 0;
    }
    input in{data, std::min<std::size_t>(size, 4096)};
    static constexpr operation<trace_state> all[] = {
        {&change_payload, 8}, {&change_header, 4}, {&change_order, 2}, {&change_document}, {&damage_file, 2}};
    trace_state state;
    while (!in.empty()) {
        state.frames = whole;
        state.is_packed = false;
        // A few changes each, or nothing of the trace would be left to read.
        for (std::size_t changes = in.between(1, 8); changes != 0; --changes) {
            perform_one(all, state, in);
        }
        if (!state.is_packed) {
            state.pack();
        }
        read(state.file);
    }
    return 0;
}
