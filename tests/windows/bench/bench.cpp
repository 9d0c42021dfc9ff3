// SPDX-License-Identifier: Apache-2.0
// The scenarios `sizes` and `object` of `linn bench` against the heap of Windows: the same loops of the worker,
// without the parent program, which needs fork, ELF and a preloaded library. Prints cycles a pair, the lowest
// median of several rounds in turn. With an argument, that percentage of the usual work.
#include "../../../tool/bench/worker/variant.hpp"

// clang-format off: psapi.h needs windows.h before it
#include <windows.h>
#include <psapi.h>
// clang-format on

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool::worker {

std::uint64_t page_faults() noexcept {
    ::PROCESS_MEMORY_COUNTERS counters{};
    ::K32GetProcessMemoryInfo(::GetCurrentProcess(), &counters, sizeof counters);
    return counters.PageFaultCount;
}

std::uint64_t cpu_ns() noexcept {
    ::FILETIME created, ended, kernel, user;
    ::GetThreadTimes(::GetCurrentThread(), &created, &ended, &kernel, &user);
    const auto of = [](const ::FILETIME& t) {
        return (std::uint64_t{t.dwHighDateTime} << 32 | t.dwLowDateTime) * 100;
    };
    return of(kernel) + of(user);
}

void pin_thread(unsigned) {}

namespace {

/// By row, then by column.
using table = std::map<std::string, std::vector<double>>;
std::vector<std::string> rows;

void note(table& t, const std::string& row, std::size_t column, std::size_t columns, double cycles) {
    if (!t.contains(row)) {
        rows.push_back(row);
        t[row] = std::vector<double>(columns, 0);
    }
    double& best = t[row][column];
    if (cycles > 0 && (best == 0 || cycles < best)) {
        best = cycles;
    }
}

void print(const char* title, const table& t, const std::vector<std::string_view>& columns) {
    std::printf("\n%s, cycles a pair\n%-16s", title, "");
    for (const std::string_view c : columns) {
        std::printf("%20.*s", static_cast<int>(c.size()), c.data());
    }
    std::puts("");
    for (const std::string& row : rows) {
        std::printf("%-16s", row.c_str());
        for (const double cycles : t.at(row)) {
            cycles > 0 ? std::printf("%20.1f", cycles) : std::printf("%20s", "-");
        }
        std::puts("");
    }
    rows.clear();
}

void object(options o, int rounds) {
    const variant ways[] = {general_pools().front(), linn_pools().front()};
    table t;
    for (int round = 0; round < rounds; ++round) {
        for (const std::size_t bytes : {16, 64, 256, 1024}) {
            o.object_bytes = bytes;
            for (std::size_t w = 0; w != 2; ++w) {
                for (const phase& p : ways[w].run(o).phases) {
                    note(t, std::to_string(bytes) + " " + p.name, w, 2, p.cycles_per_operation);
                }
            }
        }
    }
    print("object", t, {ways[0].name, ways[1].name});
}

void sizes(const options& o, int rounds) {
    std::vector<variant> ways;
    for (const variant& v : sizes_standard()) {
        ways.push_back(v);
    }
    for (const variant& v : sizes_linn()) {
        ways.push_back(v);
    }
    table t;
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t w = 0; w != ways.size(); ++w) {
            for (const phase& p : ways[w].run(o).phases) {
                note(t, p.name, w, ways.size(), p.cycles_per_operation);
            }
        }
    }
    std::vector<std::string_view> names;
    for (const variant& v : ways) {
        names.push_back(v.name);
    }
    print("sizes (bytes; two: two threads)", t, names);
}

} // namespace
} // namespace linn::tool::worker

int main(int argc, char** argv) {
    using namespace linn::tool::worker;
    options o;
    o.work = argc > 1 ? static_cast<std::size_t>(std::atoi(argv[1])) : 100;
    o.objects = o.scaled(o.objects);
    object(o, 3);
    sizes(o, 3);
}
