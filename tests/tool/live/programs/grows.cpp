// SPDX-License-Identifier: Apache-2.0
// Allocates nodes of about 1 KiB, which stay.
//   grows STEPS          four nodes a step
//   grows FILE           until the file exists, a step a millisecond
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

namespace {

struct leaked_node {
    leaked_node* next;
    char text[1000];
};

leaked_node* list = nullptr;

void step() {
    for (int i = 0; i != 4; ++i) {
        auto* const node = new leaked_node;
        node->next = list;
        std::memset(node->text, 'x', sizeof node->text);
        list = node;
    }
}

} // namespace

int main(int count, char** arguments) {
    if (count < 2) {
        return 2;
    }
    std::printf("program is ready\n");
    std::fflush(stdout);
    const long steps = std::strtol(arguments[1], nullptr, 10);
    for (long i = 0; steps != 0 ? i != steps : !std::filesystem::exists(arguments[1]); ++i) {
        step();
        std::this_thread::sleep_for(std::chrono::milliseconds{steps != 0 ? 0 : 1});
    }
    std::printf("program is done\n");
}
