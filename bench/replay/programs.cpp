// SPDX-License-Identifier: Apache-2.0
// Programs to record, to replay and to run under every allocator: agreement.py compares what `linn replay` predicts with
// what `linn run` measures. Each allocates in another way and does some work of its own in between.
#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace {

using random_source = std::mt19937_64;

/// Nodes of three containers, inserted and erased in random order.
std::uint64_t containers(unsigned scale) {
    random_source random{1};
    std::unordered_set<std::uint64_t> set;
    std::map<std::uint64_t, std::string> map;
    std::list<std::array<std::uint64_t, 5>> list;
    for (unsigned i = 0; i != scale * 40'000; ++i) {
        set.insert(random() % 20'000);
        set.erase(random() % 20'000);
        map[random() % 5'000] = std::to_string(i) + " is a number and more than a short string";
        map.erase(random() % 5'000);
        list.push_back({i});
        if (list.size() > 1'000) {
            list.pop_front();
        }
    }
    return set.size() + map.size() + list.size();
}

/// Text cut into words, counted and sorted: strings of all sizes, and vectors that grow.
std::uint64_t words(unsigned scale) {
    random_source random{2};
    std::uint64_t sum = 0;
    for (unsigned round = 0; round != scale * 8; ++round) {
        std::string text;
        for (unsigned i = 0; i != 12'000; ++i) {
            text += std::string(3 + random() % 40, static_cast<char>('a' + random() % 26)) + ' ';
        }
        std::vector<std::string> list;
        std::unordered_map<std::string, unsigned> counts;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = text.find(' ', at);
            list.push_back(text.substr(at, end - at));
            ++counts[list.back()];
            at = end + 1;
        }
        std::sort(list.begin(), list.end());
        sum += list.front().size() + counts.size();
    }
    return sum;
}

struct expression {
    virtual ~expression() = default;
    virtual std::uint64_t value() const = 0;
};
struct number final : expression {
    explicit number(std::uint64_t value) : n{value} {}
    std::uint64_t value() const override { return n; }
    std::uint64_t n;
};
struct sum final : expression {
    std::uint64_t value() const override { return left->value() + right->value(); }
    std::unique_ptr<expression> left;
    std::unique_ptr<expression> right;
};

std::unique_ptr<expression> make_tree(unsigned depth, random_source& random) {
    if (depth == 0 || random() % 16 == 0) {
        return std::make_unique<number>(random() % 100);
    }
    auto s = std::make_unique<sum>();
    s->left = make_tree(depth - 1, random);
    s->right = make_tree(depth - 1, random);
    return s;
}

/// Trees of polymorphic nodes, built, walked and dropped.
std::uint64_t trees(unsigned scale) {
    random_source random{3};
    std::uint64_t total = 0;
    for (unsigned round = 0; round != scale * 60; ++round) {
        total += make_tree(13, random)->value();
    }
    return total;
}

struct packet {
    std::uint64_t sequence;
    unsigned char payload[120];
};

/// Shared packets that one thread makes and another one drops.
std::uint64_t pipeline(unsigned scale) {
    const unsigned count = scale * 60'000;
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::shared_ptr<packet>> waiting;
    std::uint64_t total = 0;
    std::thread consumer{[&] {
        for (unsigned got = 0; got != count;) {
            std::vector<std::shared_ptr<packet>> batch;
            {
                std::unique_lock lock{mutex};
                changed.wait(lock, [&] { return !waiting.empty(); });
                batch.swap(waiting);
            }
            changed.notify_one();
            for (const auto& p : batch) {
                total += p->sequence + p->payload[p->sequence % 120];
            }
            got += static_cast<unsigned>(batch.size());
        }
    }};
    for (unsigned sent = 0; sent != count;) {
        std::vector<std::shared_ptr<packet>> batch;
        for (; batch.size() != 100 && sent != count; ++sent) {
            batch.push_back(std::make_shared<packet>());
            batch.back()->sequence = sent;
            std::memset(batch.back()->payload, static_cast<int>(sent & 0xff), sizeof(packet::payload));
        }
        std::unique_lock lock{mutex};
        changed.wait(lock, [&] { return waiting.size() < 5'000; });
        waiting.insert(waiting.end(), batch.begin(), batch.end());
        changed.notify_one();
    }
    consumer.join();
    return total;
}

/// Buffers of kilobytes that grow by realloc or are thrown away: C's way.
std::uint64_t buffers(unsigned scale) {
    random_source random{5};
    std::uint64_t total = 0;
    std::vector<char*> kept(64, nullptr);
    for (unsigned i = 0; i != scale * 12'000; ++i) {
        std::size_t bytes = 200 + random() % 4'000;
        char* p = static_cast<char*>(std::malloc(bytes));
        std::memset(p, static_cast<int>(i & 0xff), bytes);
        for (unsigned n = 0; n != 3; ++n) {
            p = static_cast<char*>(std::realloc(p, bytes * 2));
            std::memset(p + bytes, 1, bytes);
            bytes *= 2;
        }
        total += static_cast<unsigned char>(p[bytes / 2]);
        std::free(std::exchange(kept[i % kept.size()], p));
    }
    for (char* p : kept) {
        std::free(p);
    }
    return total;
}

/// Callbacks and small objects of several threads, each for itself.
std::uint64_t tasks(unsigned scale) {
    const auto work = [scale](std::uint64_t seed) {
        random_source random{seed};
        std::vector<std::function<std::uint64_t()>> queue;
        std::uint64_t total = 0;
        for (unsigned i = 0; i != scale * 30'000; ++i) {
            auto data = std::make_shared<std::vector<std::uint32_t>>(8 + random() % 60, i);
            queue.emplace_back([data, a = random(), b = random()] {
                return std::accumulate(data->begin(), data->end(), a ^ b);
            });
            if (queue.size() > 200) {
                const std::size_t chosen = random() % queue.size();
                total += queue[chosen]();
                queue[chosen] = std::move(queue.back());
                queue.pop_back();
            }
        }
        return total;
    };
    std::uint64_t other = 0;
    std::thread second{[&] { other = work(7); }};
    const std::uint64_t mine = work(6);
    second.join();
    return mine + other;
}

struct named_program {
    const char* name;
    std::uint64_t (*run)(unsigned scale);
};
constexpr named_program programs[] = {{"containers", containers}, {"words", words},     {"trees", trees},
                                      {"pipeline", pipeline},     {"buffers", buffers}, {"tasks", tasks}};

} // namespace

int main(int argc, char** argv) {
    const unsigned scale = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 10;
    for (const named_program& p : programs) {
        if (argc > 1 && std::strcmp(argv[1], p.name) == 0) {
            std::printf("%llu\n", static_cast<unsigned long long>(p.run(scale)));
            return 0;
        }
    }
    std::fprintf(stderr,
                 "usage: linn-bench-replay-programs containers|words|trees|pipeline|buffers|tasks [SCALE]\n");
    return 2;
}
