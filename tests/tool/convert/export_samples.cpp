// SPDX-License-Identifier: Apache-2.0
#include "export_samples.hpp"

#include "analysis/accumulator.hpp"

#include <utility>

namespace linn::tool::samples {
namespace {

constexpr std::uint32_t first_thread = 0;
constexpr std::uint32_t second_thread = 1;

event make(event_kind kind, allocation_call call, std::uint64_t microsecond, std::uint32_t thread,
           std::uint64_t address, std::uint64_t bytes, std::uint32_t stack) {
    event e;
    e.kind = kind;
    e.call = call;
    e.time = microsecond * 1000;
    e.thread = thread;
    e.address = address;
    e.bytes = bytes;
    e.stack = stack;
    return e;
}

event allocation(std::uint64_t microsecond, std::uint64_t address, std::uint64_t bytes, std::uint32_t stack) {
    return make(event_kind::allocation, allocation_call::operator_new, microsecond, first_thread, address,
                bytes, stack);
}

event release(std::uint64_t microsecond, std::uint64_t address, std::uint32_t thread = first_thread) {
    return make(event_kind::release, allocation_call::operator_delete, microsecond, thread, address, 0, 0);
}

symbol_frame frame(std::string function, std::string file, unsigned line, bool is_inlined = false) {
    symbol_frame f;
    f.function = std::move(function);
    f.file = std::move(file);
    f.line = line;
    f.is_inlined = is_inlined;
    return f;
}

std::vector<symbol_frame> frames_at(const code_address& at) {
    switch (at.address) {
    case 0x1010: // two functions at one address
        return {frame("std::vector<int, std::allocator<int> >::grow(unsigned long)", "/usr/include/vector",
                      77, true),
                frame("make \"quoted\"; and more\n", "/src/a b.cpp", 12)};
    case 0x2020:
        return {frame("other(char const*)", "/src/other.cpp", 5)};
    case 0x9090:
        return {frame("main", "/src/main.cpp", 3)};
    default:
        return {{}}; // not known
    }
}

} // namespace

export_sample make_export() {
    export_sample s;
    trace_info& info = s.info;
    info.command = {"/src/program", "an argument"};
    info.started = "2026-11-21T11:45:35Z";
    info.duration_ns = 10'000;
    info.modules = {{"/lib/libc.so.6", "abcdef0123"}, {"/src/program", "00112233"}};
    trace_process p;
    p.pid = 4711;
    p.executable = "/src/program";
    info.processes = {p};
    trace_thread t;
    t.tid = 4711;
    info.threads = {t, t};
    info.threads[second_thread].tid = 4712;
    info.stacks = {{},
                   {{1, 0x1010}, {1, 0x9090}},
                   {{1, 0x2020}, {1, 0x9090}},
                   {{0, 0x5050}, {1, 0x2020}, {1, 0x9090}},
                   {{code_address::unknown_module, 0x7fff'1234}}};
    s.events = {allocation(1, 0x100, 100, 1), allocation(2, 0x200, 100, 1), allocation(3, 0x300, 1000, 3),
                allocation(4, 0x400, 50, 4), release(5, 0x400)};
    event grown = make(event_kind::reallocation, allocation_call::realloc, 5, first_thread, 0x500, 2000, 2);
    grown.old_address = 0x300;
    s.events.push_back(grown);
    s.events.push_back(allocation(6, 0x600, 100, 1));
    s.events.push_back(release(7, 0x100, second_thread));
    s.events.push_back(release(8, 0x200));
    s.events.push_back(make(event_kind::failure, allocation_call::malloc, 9, first_thread, 0, 1u << 30, 1));
    s.names = frames_at;
    return s;
}

trace_profile profile_of(const trace_info& info, const std::vector<event>& events) {
    accumulator counted{info};
    counted.take(events);
    naming names;
    names.name = [](const allocation_site&) { return named_type{}; };
    return name_profile("made up", counted.finish(info), names);
}

} // namespace linn::tool::samples
