// SPDX-License-Identifier: Apache-2.0
// A database caches pieces of remote files in lines of 8 MiB. std::make_shared<cache_line>() sets all of it to zero before the
// piece is read into it. `32_cache_line measure` shows what that costs; `read` and `read-fixed` are there to be recorded.
#include <linn/zero_fill.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <string_view>

// [line]
struct cache_line {
    std::mutex lock;
    std::atomic<std::size_t> size = 0; // how much of data is valid
    std::size_t offset = 0;            // where in the file it begins
    char data[8 << 20];
};
// [/line]

/// Stands for the network.
void read_remote(cache_line& into, std::size_t offset, std::size_t bytes) {
    std::memset(into.data, 'A' + static_cast<int>(offset % 26), bytes);
    into.offset = offset;
    into.size = bytes;
}

// [load]
std::shared_ptr<cache_line> load(std::size_t offset, std::size_t bytes) {
    auto line = std::make_shared<cache_line>(); // 8 MiB of zeros, then the piece
    read_remote(*line, offset, bytes);
    return line;
}
// [/load]

// [fixed]
std::shared_ptr<cache_line> load_fixed(std::size_t offset, std::size_t bytes) {
    auto line = std::make_shared_for_overwrite<cache_line>(); // size and offset are 0, data is as it was
    read_remote(*line, offset, bytes);
    return line;
}
// [/fixed]

/// The least time of a load in microseconds, the line released again.
template <typename Load>
double microseconds(Load load, std::size_t bytes) {
    using clock = std::chrono::steady_clock;
    std::chrono::duration<double, std::micro> least{1e9};
    for (std::size_t i = 0; i != 40; ++i) {
        const auto begin = clock::now();
        load(i, bytes);
        least = std::min<std::chrono::duration<double, std::micro>>(least, clock::now() - begin);
    }
    return least.count();
}

void measure() {
    for (const std::size_t bytes : {std::size_t{64} << 10, std::size_t{8} << 20}) {
        const double before = microseconds(load, bytes);
        const double after = microseconds(load_fixed, bytes);
        std::printf("a piece of %4zu KiB: %5.0f us, fixed %5.0f us, ratio %.1f\n", bytes >> 10, before, after,
                    before / after);
    }
}

int main(int argc, char** argv) {
    const std::string_view what = argc > 1 ? argv[1] : "count";
    if (what == "measure") {
        measure();
    }
    for (std::size_t i = 0; what == "read" && i != 5; ++i) {
        load(i, 64 << 10);
    }
    for (std::size_t i = 0; what == "read-fixed" && i != 5; ++i) {
        load_fixed(i, 64 << 10);
    }
    if (what == "count") {
        // [count]
        std::printf("%zu bytes are written for nothing\n", linn::value_initialization_fill<cache_line>());
        // [/count]
        const auto line = load(0, 1000);
        const auto fixed = load_fixed(1, 1000);
        std::printf("%c %c, %zu %zu\n", line->data[999], fixed->data[999], line->size.load(),
                    fixed->size.load());
    }
}
