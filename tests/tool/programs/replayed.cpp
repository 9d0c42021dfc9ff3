// SPDX-License-Identifier: Apache-2.0
// A program whose requests are known: 30 000 widgets that another thread releases, as many strings that stay here.
// "big": blocks of 64 KiB that are all live at once. "fork": a child with a few requests of its own.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace {

constexpr int count = 30'000;

struct widget {
    long values[7];
};

/// Allocates and frees, which a compiler would leave out.
void ask_for(std::size_t bytes) {
    void* p = std::malloc(bytes);
    asm volatile("" : "+r"(p) : : "memory");
    std::free(p);
}

void work() {
    auto widgets = std::make_unique<std::unique_ptr<widget>[]>(count); // one request
    for (int i = 0; i != count; ++i) {
        widgets[static_cast<std::size_t>(i)] = std::make_unique<widget>();
    }
    std::thread other{[&] {
        for (int i = 0; i != count; ++i) {
            widgets[static_cast<std::size_t>(i)].reset();
        }
        for (int i = 0; i != 2 * count; ++i) {
            ask_for(static_cast<std::size_t>(i % 100 + 1));
        }
    }};
    other.join();
    for (int i = 0; i != count; ++i) {
        const std::unique_ptr<char[]> text{new char[50]};
        asm volatile("" : : "r"(text.get()) : "memory");
    }
}

void make_big_blocks() {
    std::vector<void*> blocks;
    for (int i = 0; i != 200; ++i) {
        blocks.push_back(std::malloc(1 << 16));
        std::memset(blocks.back(), 1, 1 << 16);
    }
    for (void* p : blocks) {
        std::free(p);
    }
}

} // namespace

int main(int argc, char** argv) {
    if (argc > 1 && std::strcmp(argv[1], "big") == 0) {
        make_big_blocks();
        return 0;
    }
    if (argc > 1 && std::strcmp(argv[1], "fork") == 0) {
        const pid_t child = ::fork();
        if (child == 0) {
            for (int i = 0; i != 100; ++i) {
                ask_for(10);
            }
            return 0;
        }
        ::waitpid(child, nullptr, 0);
    }
    work();
    return 0;
}
