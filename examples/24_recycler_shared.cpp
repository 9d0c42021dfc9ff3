// SPDX-License-Identifier: Apache-2.0
// shared_ptr to a recycled object: nothing is allocated, and weak_ptr works as always.
#include <linn/recycler.hpp>

#include <cstdio>
#include <memory>
#include <vector>

struct frame : std::enable_shared_from_this<frame> {
    std::vector<float> samples;
};

int main() {
    // [shared]
    linn::recycler<frame> frames{{.prefill = 1, .reset = [](frame& f) { f.samples.clear(); }}};

    std::shared_ptr<frame> f = frames.acquire_shared(); // the control block lies in front of the object
    f->samples.assign(1000, 0.5F);
    std::weak_ptr<frame> observer = f->weak_from_this();
    f.reset(); // the frame is cleared now
    std::printf("expired: %d, idle: %zu\n", observer.expired(), frames.idle());
    observer.reset(); // nobody looks at the control block any more
    std::printf("idle: %zu\n", frames.idle());
    // [/shared]

    f = frames.acquire_shared();
    const std::shared_ptr<frame> self = f->shared_from_this();
    std::printf("again: room for %zu samples, owners: %ld\n", f->samples.capacity(), f.use_count());
}
