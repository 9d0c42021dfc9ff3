// SPDX-License-Identifier: Apache-2.0
// How fragmented its heap is when main begins: `holes FILE` appends a line with the number of its first blocks that do not lie behind
// the one before. Then it makes and gives back objects of two types of one size, for `linn try` to try.
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr std::size_t block_bytes = 2000; // larger than what a plan can serve

struct node {
    std::uint64_t number;
    std::uint64_t more[7];
};

struct edge {
    std::uint64_t number;
    std::uint64_t more[7];
};

[[gnu::noinline]] node* make_node(std::uint64_t number) {
    node* const one = new node;
    one->number = number;
    return one;
}
[[gnu::noinline]] edge* make_edge(std::uint64_t number) {
    edge* const one = new edge;
    one->number = number;
    return one;
}

const char* variable(const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "none";
}

int count_holes() {
    constexpr int count = 64;
    char* blocks[count];
    int holes = 0;
    for (int i = 0; i != count; ++i) {
        blocks[i] = static_cast<char*>(std::malloc(block_bytes));
        holes += i != 0 && blocks[i] - blocks[i - 1] != static_cast<long>(block_bytes) + 16 ? 1 : 0;
    }
    for (char* block : blocks) {
        std::free(block);
    }
    return holes;
}

} // namespace

int main(int argc, char** argv) {
    const int holes = count_holes();
    char line[4096];
    const int length = std::snprintf(line, sizeof line, "%d %s %.10s %s\n", holes, variable("LINN_POOLS"),
                                     variable("LINN_LITTER"), variable("LD_PRELOAD"));
    const int file = argc > 1 ? ::open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
    if (file < 0 || ::write(file, line, static_cast<std::size_t>(length)) != length) {
        return 1;
    }
    ::close(file);
    std::vector<node*> nodes(20'000);
    std::vector<edge*> edges(20'000);
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i != 60'000; ++i) {
        const std::size_t place = i * 7919 % nodes.size();
        sum += nodes[place] != nullptr ? nodes[place]->number + edges[place]->number : 0;
        delete nodes[place];
        delete edges[place];
        nodes[place] = make_node(i);
        edges[place] = make_edge(i);
    }
    std::printf("%llu\n", static_cast<unsigned long long>(sum));
    return 0;
}
