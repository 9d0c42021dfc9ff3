// SPDX-License-Identifier: Apache-2.0
#include "make_shared.hpp"

#include <linn/pool.hpp>

#include <utility>

namespace linn::bench::make_shared {
namespace {

/// The same objects with no control block: what reference counting costs is the difference.
struct raw_pair {
    class pointer {
    public:
        explicit pointer(packet* p) noexcept : packet_{p} {}
        pointer(pointer&& other) noexcept : packet_{std::exchange(other.packet_, nullptr)} {}
        ~pointer() {
            if (packet_ != nullptr) {
                pool<packet>::deallocate(packet_);
            }
        }
        packet* operator->() const noexcept { return packet_; }
        packet& operator*() const noexcept { return *packet_; }

    private:
        packet* packet_;
    };
    static pointer make() { return pointer{pool<packet>::allocate()}; }
};

} // namespace

void run_pool_pair(sampler& s) {
    measure<raw_pair>(s);
}

} // namespace linn::bench::make_shared
