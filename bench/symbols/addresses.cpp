// SPDX-License-Identifier: Apache-2.0
// How long it takes to name many addresses of one large program: functions, inlined ones, lines; then the types of as
// many sites. big.py builds such a program.
//
//     linn-bench-symbols PROGRAM [ADDRESSES]
#include "program/elf_file.hpp"
#include "symbols/symbolizer.hpp"

#include <sys/resource.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace linn::tool;

/// Processor time: other programs do not count.
double seconds_used() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

long peak_megabytes() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;
}

/// Addresses spread evenly over the functions of the file, in the middle of each.
std::vector<std::uint64_t> addresses_of(const std::string& program, std::size_t wanted) {
    const auto file = elf_file::open(program);
    if (file == nullptr) {
        return {};
    }
    std::vector<GElf_Sym> functions;
    file->each_symbol(SHT_SYMTAB, [&](const GElf_Sym& symbol, std::string_view) {
        if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_value != 0) {
            functions.push_back(symbol);
        }
    });
    std::vector<std::uint64_t> addresses;
    for (std::size_t i = 0; i < wanted && !functions.empty(); ++i) {
        const GElf_Sym& one = functions[i * functions.size() / wanted];
        // Many addresses of one function differ when there are fewer functions than addresses.
        addresses.push_back(one.st_value + (i * 2654435761U) % (one.st_size == 0 ? 1 : one.st_size));
    }
    return addresses;
}

} // namespace

int main(int count, char** arguments) {
    if (count < 2) {
        std::fprintf(stderr, "usage: linn-bench-symbols PROGRAM [ADDRESSES]\n");
        return 2;
    }
    const std::string program = arguments[1];
    const std::size_t wanted = count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 3000;
    const std::vector<std::uint64_t> addresses = addresses_of(program, wanted);
    const double begin = seconds_used();
    symbolizer symbols;
    std::size_t frames = 0;
    std::size_t lines = 0;
    for (const std::uint64_t address : addresses) {
        for (const symbol_frame& frame : symbols.frames({program, "", address})) {
            ++frames;
            lines += frame.line != 0 ? 1U : 0U;
        }
    }
    std::printf("%zu addresses: %zu frames, %zu with a line, %.2f CPU seconds, %ld MB at most\n",
                addresses.size(), frames, lines, seconds_used() - begin, peak_megabytes());
    const double begin_types = seconds_used();
    std::size_t named = 0;
    for (const std::uint64_t address : addresses) {
        allocation_site site;
        site.stack.push_back({program, "", address});
        site.sizes = {48};
        site.is_operator_new = true;
        named += symbols.name(site).rule != type_rule::none ? 1U : 0U;
    }
    std::printf("as sites of 48 bytes: %zu named, %.2f CPU seconds more, %ld MB at most\n", named,
                seconds_used() - begin_types, peak_megabytes());
    return 0;
}
