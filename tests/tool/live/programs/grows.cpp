// SPDX-License-Identifier: Apache-2.0
// Allocates types in known proportions: forty particles come and go for each four nodes, which stay, and there is one buffer.
//   grows STEPS          so many steps
//   grows FILE           until the file exists, a step a millisecond
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <thread>
#include <utility>

namespace {

struct particle {
    double place[4];
};
struct leaked_node {
    leaked_node* next;
    char text[1000];
};
struct constant_buffer {
    char bytes[1 << 20];
};

leaked_node* list = nullptr;

void grow() {
    auto* const node = new leaked_node;
    node->next = list;
    std::memset(node->text, 'x', sizeof node->text);
    list = node;
}

void churn() {
    for (int i = 0; i != 10; ++i) {
        auto p = std::make_unique<particle>();
        p->place[0] = i;
        asm volatile("" : : "r"(p.get()) : "memory");
    }
}

void step() {
    for (int i = 0; i != 4; ++i) {
        churn();
        grow();
    }
}

} // namespace

int main(int count, char** arguments) {
    if (count < 2) {
        return 2;
    }
    auto* const buffer = new constant_buffer;
    std::memset(buffer, 1, sizeof *buffer);
    std::printf("program is ready\n");
    std::fflush(stdout);
    if (const long steps = std::strtol(arguments[1], nullptr, 10); steps != 0) {
        for (long i = 0; i != steps; ++i) {
            step();
        }
    } else {
        for (unsigned i = 0; !std::filesystem::exists(arguments[1]); ++i) {
            step();
            if (i % 200 == 0) {
                std::printf("step %u\n", i);
                std::fflush(stdout);
            }
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
        }
    }
    std::printf("program is done\n");
    while (list != nullptr) {
        delete std::exchange(list, list->next);
    }
    delete buffer;
}
