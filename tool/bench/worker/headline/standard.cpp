// SPDX-License-Identifier: Apache-2.0
#include "headline.hpp"

#include <memory>

namespace linn::tool::worker {
namespace {

/// What a program without pools writes. The general allocator is the one that the process was started with.
struct usual_ways {
    template <std::size_t Bytes>
    struct object : payload<Bytes> {
        using payload<Bytes>::payload;
    };

    template <class T>
    static std::allocator<T> allocator() {
        return {};
    }

    struct shared : owning_way {
        static std::shared_ptr<packet> create() { return std::make_shared<packet>(); }
    };

    template <std::size_t Bytes>
    struct shared_buffer {
        struct memory {
            char data[Bytes];
        };

        static std::shared_ptr<memory> acquire() { return std::make_shared<memory>(); }
        static void* data(const std::shared_ptr<memory>& h) { return h->data; }
    };

    template <std::size_t Bytes>
    struct buffer {
        static std::unique_ptr<char[]> acquire() { return std::unique_ptr<char[]>(new char[Bytes]); }
        static void* data(const std::unique_ptr<char[]>& h) { return h.get(); }
    };
};

constexpr variant all[] = {{"headline", "usual", &run_headline<usual_ways>}};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
