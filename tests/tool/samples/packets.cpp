// SPDX-License-Identifier: Apache-2.0
// Packets that one thread makes and another one frees.
#include "truth.hpp"

#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace net {

struct packet {
    explicit packet(std::uint64_t number) : sequence(number) {}
    std::uint64_t sequence;
    unsigned char header[48] = {};
    std::vector<unsigned char> payload;
};

struct session {
    int peer = 0;
    char buffer[120] = {};
};

class queue {
public:
    void push(std::shared_ptr<packet> one) {
        const std::lock_guard guard(lock_);
        packets_.push_back(std::move(one));
        ready_.notify_one();
    }
    std::shared_ptr<packet> pop() {
        std::unique_lock guard(lock_);
        ready_.wait(guard, [this] { return !packets_.empty(); });
        std::shared_ptr<packet> one = std::move(packets_.front());
        packets_.pop_front();
        return one;
    }

private:
    std::mutex lock_;
    std::condition_variable ready_;
    std::list<std::shared_ptr<packet>> packets_;
};

} // namespace net

namespace {

using sample::truth;

void produce(net::queue& out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        auto one = std::make_shared<net::packet>(i);
        one->payload.resize(64 + i % 64);
        out.push(std::move(one));
    }
    out.push(nullptr);
    truth::expect("net::packet", "std::shared_ptr<net::packet>", n);
    truth::expect("unsigned char", "std::vector<unsigned char>", n);
    truth::expect("std::shared_ptr<net::packet>", "std::list<std::shared_ptr<net::packet>>", n + 1);
}

std::uint64_t consume(net::queue& in) {
    std::uint64_t sum = 0;
    while (const std::shared_ptr<net::packet> one = in.pop()) {
        sum += one->sequence + one->payload.size();
    }
    return sum;
}

void hold_sessions(std::size_t n) {
    std::vector<std::shared_ptr<net::session>> open;
    sample::growth<std::vector<std::shared_ptr<net::session>>> growth(open);
    for (std::size_t i = 0; i < n; ++i) {
        open.push_back(std::shared_ptr<net::session>(new net::session));
        growth.see(open);
    }
    truth::expect("net::session", "", n);
    truth::expect("control block of net::session", "std::shared_ptr<net::session>", n);
    truth::expect("std::shared_ptr<net::session>", "std::vector<std::shared_ptr<net::session>>",
                  growth.count());
}

} // namespace

int main() {
    net::queue between;
    std::thread producer([&between] { produce(between, 3000); });
    std::uint64_t sum = 0;
    std::thread consumer([&between, &sum] { sum = consume(between); });
    producer.join();
    consumer.join();
    sample::keep(sum);
    hold_sessions(500);
    truth::expect("thread state", "std::thread", 2);
    return truth::write();
}
