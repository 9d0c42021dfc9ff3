// SPDX-License-Identifier: Apache-2.0
// What `overhead.py` records: containers, shared pointers, strings and raw blocks as ordinary programs use them, one
// thread, about 11.6 million calls of malloc and free at scale 1. Prints its own CPU time in seconds and a checksum.
//     program [SCALE [MILLISECONDS]]    sleeps so long after each 58 000 calls
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

namespace {

struct particle {
    double place[3];
    double speed[2];
};

struct shape {
    virtual ~shape() = default;
    virtual double area() const = 0;
};
struct circle : shape {
    explicit circle(double r) : radius(r) {}
    double area() const override { return radius * radius * 3.14; }
    double radius;
};

std::uint64_t work(unsigned rounds, unsigned pause_ms) {
    std::uint64_t sum = 0;
    for (unsigned round = 0; round != rounds; ++round) {
        std::unordered_set<int> set;
        for (int i = 0; i != 10'000; ++i) {
            set.insert(i * 7);
        }
        for (int i = 0; i != 10'000; ++i) {
            set.erase(i * 7);
        }
        std::map<std::string, int> names;
        for (int i = 0; i != 1'500; ++i) {
            names["a name that is too long for the string itself " + std::to_string(i * 31 % 1500)] = i;
        }
        std::list<particle> particles;
        for (int i = 0; i != 5'000; ++i) {
            particles.push_back({{1.0 * i, 2, 3}, {4, 5}});
        }
        std::vector<std::shared_ptr<particle>> shared;
        for (int i = 0; i != 4'000; ++i) {
            shared.push_back(std::make_shared<particle>());
        }
        std::vector<std::unique_ptr<shape>> shapes;
        for (int i = 0; i != 4'000; ++i) {
            shapes.push_back(std::make_unique<circle>(i));
        }
        for (const auto& each : shapes) {
            sum += static_cast<std::uint64_t>(each->area());
        }
        for (int i = 0; i != 3'000; ++i) {
            void* const block = std::malloc(24 + static_cast<std::size_t>(i % 100));
            asm volatile("" : : "r"(block) : "memory");
            std::free(block);
        }
        sum += set.size() + names.size() + particles.size();
        if (pause_ms != 0) {
            const timespec pause{pause_ms / 1000, pause_ms % 1000 * 1'000'000L};
            nanosleep(&pause, nullptr);
        }
    }
    return sum;
}

} // namespace

int main(int argc, char** argv) {
    const double scale = argc > 1 ? std::atof(argv[1]) : 1;
    const std::uint64_t sum =
        work(static_cast<unsigned>(180 * scale), argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 0);
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    std::printf("%.6f %llu\n", static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9,
                static_cast<unsigned long long>(sum));
}
