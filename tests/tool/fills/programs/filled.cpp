// SPDX-License-Identifier: Apache-2.0
// Writes a known number of zeros into blocks that it has just got, in the ways that there are; which ones is the argument.
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

namespace {

/// What the compiler must take for read, and for written.
template <typename T>
T* keep(T* p) {
    asm volatile("" : "+r"(p) : : "memory");
    return p;
}
std::size_t keep(std::size_t n) {
    asm volatile("" : "+r"(n));
    return n;
}

struct cache_line { // make_shared<cache_line>() writes all of it
    std::atomic<std::size_t> size = 0;
    char data[100'000];
};
struct quiet_line { // and of this nothing
    quiet_line() {} // NOLINT: not = default
    std::size_t size = 0;
    char data[100'000];
};
struct cleared_line { // this one does so itself
    cleared_line() { std::memset(data, 0, keep(sizeof data)); }
    std::size_t size = 0;
    char data[100'000];
};

void makers() {
    for (int i = 0; i != 3; ++i) {
        keep(std::make_shared<cache_line>().get());
    }
    keep(std::make_unique<cache_line>().get());
    delete keep(new cache_line());
    for (int i = 0; i != 3; ++i) {
        keep(std::make_shared<quiet_line>().get());
        keep(std::make_unique_for_overwrite<cache_line>().get());
        delete keep(new cache_line);
    }
    keep(std::make_shared<cleared_line>().get());
    for (int i = 0; i != 2; ++i) {
        keep(std::vector<char>(keep(50'000)).data());
    }
}

/// 20 fills of 20'000 bytes, and much that is none.
void calls() {
    constexpr std::size_t bytes = 20'000;
    for (int i = 0; i != 5; ++i) {
        auto* p = static_cast<char*>(keep(std::malloc(bytes)));
        void* small = keep(std::malloc(100)); // too small to matter
        std::memset(keep(p), 0, keep(bytes)); // 1
        std::memset(keep(p), 0, keep(bytes)); // not fresh any more
        std::free(small);
        std::free(p);

        p = static_cast<char*>(keep(std::malloc(2 * bytes + 100)));
        bzero(keep(p) + 50, keep(bytes));                  // 2: at an offset
        std::memset(keep(p) + 50, 0, keep(bytes));         // again
        std::memset(keep(p) + 50 + bytes, 0, keep(bytes)); // 3: behind
        std::free(p);

        p = static_cast<char*>(keep(std::malloc(bytes)));
        std::memset(keep(p), 1, keep(bytes)); // no zeros
        std::memset(keep(p), 0, keep(1023));  // too few
        void* const later = keep(std::malloc(bytes));
        std::memset(keep(p), 0, keep(bytes)); // not the last block
        std::free(later);
        std::free(p);

        p = static_cast<char*>(keep(std::malloc(bytes)));
        p = static_cast<char*>(keep(std::realloc(p, 3 * bytes)));
        std::memset(keep(p), 0, keep(bytes)); // it had a content
        std::free(p);

        p = static_cast<char*>(keep(std::calloc(1, bytes))); // the C library's own affair
        std::memset(keep(p), 0, keep(bytes));                // 4: once more
        std::free(p);
    }
}

void one_fill() {
    void* const p = keep(std::malloc(30'000));
    std::memset(keep(p), 0, keep(30'000));
    std::free(p);
}

void threads() {
    std::vector<std::jthread> all;
    for (int i = 0; i != 4; ++i) {
        all.emplace_back([] {
            for (int k = 0; k != 25; ++k) {
                one_fill();
            }
        });
    }
}

int forks() {
    one_fill();
    for (int i = 0; i != 3; ++i) {
        if (const pid_t child = ::fork(); child == 0) {
            one_fill();
            one_fill();
            std::exit(0);
        } else {
            int status = 0;
            if (::waitpid(child, &status, 0) != child || status != 0) {
                return 1;
            }
        }
    }
    return 0;
}

/// Fills of sizes around the threshold.
void sizes() {
    for (const std::size_t bytes : {100u, 300u, 1023u, 1024u, 5000u}) {
        void* const p = keep(std::malloc(6000));
        std::memset(keep(p), 0, keep(bytes));
        std::free(p);
    }
}

/// Where the compiler knows how much room there is, it asks for a check.
void checked() {
    for (int i = 0; i != 7; ++i) {
        auto* const p = static_cast<char*>(std::malloc(40'000));
        std::memset(p, 0, keep(std::size_t{39'000}));
        keep(p);
        std::free(p);
    }
}

/// Calls of memset that are no zero fills of new blocks.
void memsets(int count) {
    static char buffer[256];
    for (; count > 0; --count) {
        std::memset(keep(buffer), count, keep(std::size_t{64}));
    }
}

} // namespace

int main(int argc, char** argv) {
    const std::string_view what = argc > 1 ? argv[1] : "";
    if (what == "makers") {
        makers();
    } else if (what == "calls") {
        calls();
    } else if (what == "threads") {
        threads();
    } else if (what == "forks") {
        return forks();
    } else if (what == "sizes") {
        sizes();
    } else if (what == "checked") {
        checked();
    } else if (what == "memsets") {
        memsets(std::atoi(argv[2]));
    } else if (what == "nothing") {
        keep(std::make_shared<quiet_line>().get());
    }
    return 0;
}
