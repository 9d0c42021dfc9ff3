// SPDX-License-Identifier: Apache-2.0
// The reader of traces, and the statistics of what it reads: whatever is in the file, it ends, takes memory that the
// file's size explains, and gives no index out of range. The input is either the file itself or changes to a whole trace
// whose frames get right checksums again, so that they reach what is behind them.
#include "../../tool/support/made_trace.hpp"
#include "../support/expect.hpp"
#include "../support/memory_file.hpp"
#include "../support/operations.hpp"
#include "../support/target.hpp"
#include "analysis/accumulator.hpp"
#include "trace/decode.hpp"
#include "trace/reader.hpp"
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
                a.fill(i, 0x20000, 2048, 1, 300);
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

/// Other bytes in a payload: behind a right checksum.
struct change_payload {
    explicit change_payload(input& in)
        : which{in.below(256)},
          at{in.below(1 << 12)},
          kind{in.below(6)},
          fresh{in.bytes(in.between(1, 16))} {}
    void perform(trace_state& s) const {
        if (s.frames.empty() || chosen(s, which).payload.empty()) {
            return;
        }
        bytes& p = chosen(s, which).payload;
        const std::size_t from = at % p.size();
        const auto place = p.begin() + static_cast<std::ptrdiff_t>(from);
        switch (kind) {
        case 0:
            p.resize(from);
            break;
        case 1:
            p.insert(place, fresh.begin(), fresh.end());
            break;
        case 2:
            p.erase(place, place + static_cast<std::ptrdiff_t>(std::min(fresh.size(), p.size() - from)));
            break;
        case 3: // a length or number with no end
            std::fill_n(place, std::min<std::size_t>(10, p.size() - from), static_cast<unsigned char>(0xff));
            break;
        default:
            std::copy_n(fresh.begin(), std::min(fresh.size(), p.size() - from), place);
        }
    }
    std::size_t which;
    std::size_t at;
    std::size_t kind;
    std::span<const std::uint8_t> fresh;
};

struct change_header {
    explicit change_header(input& in)
        : which{in.below(256)},
          field{in.below(12)},
          value{in.below(1 << 30)},
          is_small{in.flag()} {}
    void perform(trace_state& s) const {
        if (s.frames.empty()) {
            return;
        }
        frame_header& h = chosen(s, which).header;
        const auto v = static_cast<std::uint32_t>(is_small ? value % 4 : value * 4 + 3);
        switch (field) {
        case 0:
            h.kind = static_cast<frame_kind>(v % 6);
            break;
        case 1:
            h.codec = v % 2 == 0 ? frame_codec::zstd : frame_codec::stored;
            break;
        case 2:
            h.pid = v;
            break;
        case 3:
            h.tid = v;
            break;
        case 4:
            h.image = v;
            break;
        case 5:
            h.stream = v;
            break;
        case 6:
            h.thread = v;
            break;
        case 7:
            h.sequence = v;
            break;
        case 8:
            h.events = v;
            break;
        case 9:
            h.records = v;
            break;
        case 10:
            h.first_time = is_small ? v : static_cast<std::uint64_t>(v) << 32;
            break;
        default:
            h.dropped = v;
        }
    }
    std::size_t which;
    std::size_t field;
    std::size_t value;
    bool is_small;
};

/// Frames that come twice, not at all, or in another order.
struct change_order {
    explicit change_order(input& in) : a{in.below(256)}, b{in.below(256)}, kind{in.below(3)} {}
    void perform(trace_state& s) const {
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
    std::size_t a;
    std::size_t b;
    std::size_t kind;
};

/// A document's text, anything.
struct change_document {
    explicit change_document(input& in)
        : which{in.below(256)},
          kind{in.below(8)},
          text{in.bytes(in.below(64))} {}
    void perform(trace_state& s) const {
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
    std::size_t which;
    std::size_t kind;
    std::span<const std::uint8_t> text;
};

/// Bytes of the file itself, which no checksum knows of.
struct damage_file {
    explicit damage_file(input& in)
        : at{in.below(1 << 16)},
          kind{in.below(5)},
          fresh{in.bytes(in.between(1, 100))} {}
    void perform(trace_state& s) const {
        if (!s.is_packed) {
            s.pack();
        }
        if (s.file.empty()) {
            return;
        }
        const std::size_t from = at % s.file.size();
        const auto place = s.file.begin() + static_cast<std::ptrdiff_t>(from);
        switch (kind) {
        case 0:
            s.file.resize(from);
            break;
        case 1:
            s.file.insert(place, fresh.begin(), fresh.end());
            break;
        case 2:
            s.file.erase(place,
                         place + static_cast<std::ptrdiff_t>(std::min(fresh.size(), s.file.size() - from)));
            break;
        case 3:
            *place = static_cast<unsigned char>(*place ^ 1U << at % 8);
            break;
        default:
            std::copy_n(fresh.begin(), std::min(fresh.size(), s.file.size() - from), place);
        }
    }
    std::size_t at;
    std::size_t kind;
    std::span<const std::uint8_t> fresh;
};

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
    } catch (const unusable_trace&) {
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
    trace_state state;
    while (!in.empty()) {
        state.frames = whole;
        state.is_packed = false;
        // A few changes each, or nothing of the trace would be left to read.
        for (std::size_t changes = in.between(1, 8); changes != 0; --changes) {
            operations<trace_state, often<change_payload, 8>, often<change_header, 4>, often<change_order, 2>,
                       change_document, often<damage_file, 2>>::one(state, in);
        }
        if (!state.is_packed) {
            state.pack();
        }
        read(state.file);
    }
    return 0;
}
