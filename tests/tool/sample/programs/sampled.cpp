// SPDX-License-Identifier: Apache-2.0
// sampled [fork|exchange]: allocates known numbers of bytes of some types on three threads, releases them on others, and prints
// the truth as JSON. exchange: another thread puts a block of another type where each round_shape was.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <semaphore>
#include <string_view>
#include <thread>
#include <vector>

struct small_point {
    char c[40];
};
struct medium_record {
    char c[500];
};
struct large_image {
    char c[300'000];
};
struct shape {
    virtual ~shape() = default;
    virtual int area() const { return 0; }
};
struct round_shape final : shape {
    int area() const override { return static_cast<int>(sizeof c); }
    char c[120];
};
struct square_shape final : shape {
    int area() const override { return 1; }
    char c[120];
};

namespace {

constexpr int points = 60'000;
constexpr int records = 6'000;
constexpr int images = 40;
constexpr int shapes = 20'000;
constexpr int threads = 3;
constexpr int growths = 400;

struct owned {
    std::vector<std::unique_ptr<small_point>> points;
    std::vector<std::unique_ptr<medium_record>> records;
    std::vector<std::unique_ptr<large_image>> images;
    std::vector<std::unique_ptr<shape>> shapes;
};

[[gnu::noinline]] void make(owned& all) {
    all.points.reserve(points);
    all.records.reserve(records);
    all.shapes.reserve(shapes);
    for (int i = 0; i != points; ++i) {
        all.points.emplace_back(new small_point);
        if (i % (points / records) == 0) {
            all.records.emplace_back(new medium_record);
        }
        if (i % (points / shapes) == 0) {
            all.shapes.emplace_back(new round_shape);
        }
        if (i % (points / images) == 0) {
            all.images.emplace_back(new large_image);
        }
    }
}

/// Every size counts, as a block of its own.
[[gnu::noinline]] long grow() {
    long bytes = 0;
    char* p = nullptr;
    for (int i = 1; i <= growths; ++i) {
        p = static_cast<char*>(std::realloc(p, static_cast<std::size_t>(i) * 1000));
        p[i] = 1;
        bytes += i * 1000L;
    }
    std::free(p);
    return bytes;
}

/// The name of a block's type must be read before its memory is another's.
[[gnu::noinline]] void exchange() {
    constexpr int rounds = 3000;
    std::binary_semaphore is_made{0};
    std::binary_semaphore is_replaced{0};
    shape* made = nullptr;
    std::thread other{[&] {
        for (int i = 0; i != rounds; ++i) {
            is_made.acquire();
            delete made;
            shape* const replaced = new square_shape; // the thread's cache gives what it got last
            is_replaced.release();
            is_made.acquire();
            delete replaced;
            is_replaced.release();
        }
    }};
    for (int i = 0; i != rounds; ++i) {
        made = new round_shape;
        std::free(std::malloc(16));
        is_made.release();
        is_replaced.acquire();
        std::free(std::malloc(60'000)); // while the other type is there
        is_made.release();
        is_replaced.acquire();
    }
    other.join();
    std::printf("{\"round_shape\": %ld}\n", rounds * long{sizeof(round_shape)});
}

} // namespace

int main(int count, char** words) {
    if (count > 1 && std::string_view{words[1]} == "exchange") {
        exchange();
        return 0;
    }
    std::vector<owned> all(threads);
    std::vector<std::jthread> makers;
    for (owned& o : all) {
        makers.emplace_back([&o] { make(o); });
    }
    makers.clear();
    if (count > 1 && std::string_view{words[1]} == "fork") {
        const pid_t child = ::fork();
        if (child == 0) {
            all.clear();
            std::_Exit(0);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
    }
    const long grown = grow();
    std::thread{[&] { all.clear(); }}.join();
    std::printf("{\"small_point\": %ld, \"medium_record\": %ld, \"large_image\": %ld, \"round_shape\": %ld, "
                "\"grow\": %ld}\n",
                long{threads} * points * long{sizeof(small_point)},
                long{threads} * records * long{sizeof(medium_record)},
                long{threads} * images * long{sizeof(large_image)},
                long{threads} * shapes * long{sizeof(round_shape)}, grown);
}
