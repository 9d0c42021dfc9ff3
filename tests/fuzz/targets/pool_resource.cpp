// SPDX-License-Identifier: Apache-2.0
// linn::pool_resource over the system and over an upstream that may throw, against a shadow of what is live: sizes to
// 1 MiB, alignments to 4096, several threads, release, trim, destruction. The upstream gets back exactly what it gave.
#include "../support/crew.hpp"
#include "../support/expect.hpp"
#include "../support/failing_memory.hpp"
#include "../support/operations.hpp"
#include "../support/shadow_memory.hpp"
#include "counting_resource.hpp"

#include <linn/memory_resource.hpp>

#include <algorithm>
#include <iterator>
#include <new>
#include <optional>
#include <vector>

namespace {

using namespace linn_fuzz;

constexpr std::size_t most_bytes = std::size_t{8} << 20;
constexpr std::size_t most_blocks = 20000;

struct resource_state {
    linn_test::counting_resource upstream;
    std::optional<linn::pool_resource> resource;
    bool has_upstream = false;
    shadow_memory shadow;
    crew threads;

    void make(input& in) {
        has_upstream = in.flag();
        const std::size_t sizes[] = {0, 1, 64, 1000, 4096, std::size_t{32} << 10, std::size_t{128} << 10};
        linn::pool_resource_options o;
        o.largest_pooled_bytes = sizes[in.below(std::size(sizes))];
        o.slab_bytes = sizes[in.below(std::size(sizes))];
        o.retain_bytes = in.flag() ? std::size_t{1} << 20 : 0;
        resource.emplace(o, has_upstream ? &upstream : nullptr);
    }

    void check() const {
        std::size_t live = 0;
        for (const linn::pool_statistics& s : resource->statistics()) {
            live += s.live;
            expect(s.peak >= s.live, "a peak below what is out");
            expect(s.resident_bytes <= s.reserved_bytes || s.object_bytes == 0,
                   "more resident than reserved");
        }
        expect_equal(live, shadow.size(), "live blocks");
        expect(upstream.wrong == 0, "upstream got back what it did not give");
        expect(upstream.misplaced == 0, "upstream was asked for an alignment that is none");
        expect(has_upstream || upstream.blocks.empty(), "a resource without upstream used it");
        if (has_upstream) {
            expect(upstream.live_bytes >= shadow.bytes() || linn::detail::sanitizer_bypass,
                   "blocks that lie in nobody's memory");
        }
    }

    void end() {
        resource.reset();
        expect_equal(upstream.blocks.size(), 0, "blocks that upstream did not get back");
        expect_equal(upstream.wrong, 0, "blocks that upstream got back otherwise");
        shadow.forget_all();
    }

    /// Frees what is left; then nothing but bookkeeping may remain.
    void finish() {
        while (!shadow.empty()) {
            const shadow_block b = shadow.remove(shadow.size() - 1);
            resource->deallocate(b.data, b.bytes, b.align);
        }
        for (std::size_t i = 0; i != crew::most; ++i) {
            threads.dismiss(i);
        }
        resource->trim();
        check();
        end();
    }
};

/// Sizes of all orders of magnitude, mostly small.
struct request {
    explicit request(input& in) {
        const std::size_t kind = in.below(64);
        bytes = kind < 48   ? in.below(256)
                : kind < 60 ? in.below(4096)
                : kind < 63 ? in.below(1 << 17)
                            : in.below((1 << 20) + 1);
        align = std::size_t{1} << (in.below(4) != 0 ? in.below(5) : in.below(13));
    }
    std::size_t bytes;
    std::size_t align;
};

void allocate(resource_state& s, input& in) {
    const request what{in};
    const std::size_t count = in.below(8) == 0 ? in.between(1, 64) : 1;
    operations_performed += count - 1;
    for (std::size_t i = 0; i != count && s.shadow.bytes() < most_bytes && s.shadow.size() < most_blocks;
         ++i) {
        s.shadow.add(s.resource->allocate(what.bytes, what.align), what.bytes, what.align, 0);
    }
}

void deallocate(resource_state& s, input& in) {
    const std::size_t which = in.below(1 << 16);
    const std::size_t count = in.below(8) == 0 ? in.between(1, 128) : 1;
    operations_performed += count - 1;
    for (std::size_t i = 0; i != count && !s.shadow.empty(); ++i) {
        const std::size_t n = s.shadow.size();
        const shadow_block b = s.shadow.remove(which % 4 == 0 ? n - 1 : which / 4 % n);
        s.resource->deallocate(b.data, b.bytes, b.align);
    }
}

/// Memory is refused from the n-th request on; what then fails has changed nothing.
void run_out(resource_state& s, input& in) {
    const request what{in};
    const std::size_t after = in.below(6);
    const std::size_t count = in.between(1, 100);
    std::vector<void*> got;
    got.reserve(count);
    {
        const failing_scope failing{after};
        s.upstream.fail_after = after;
        const std::size_t failures = s.upstream.failures;
        bool failed = false;
        while (got.size() != count && s.shadow.bytes() + got.size() * what.bytes < most_bytes && !failed) {
            try {
                got.push_back(s.resource->allocate(what.bytes, what.align));
            } catch (const std::bad_alloc&) {
                failed = true;
            }
        }
        expect(!failed || failing.refused() || s.upstream.failures != failures, "a failure without a cause");
        s.upstream.fail_after = SIZE_MAX;
    }
    operations_performed += got.size();
    for (void* p : got) {
        s.shadow.add(p, what.bytes, what.align, 0);
    }
    s.check();
}

void trim(resource_state& s, input&) {
    const std::size_t before = s.upstream.live_bytes;
    s.resource->trim();
    expect(s.upstream.live_bytes <= before, "a trim that takes memory");
    s.check();
}

void release(resource_state& s, input&) {
    s.shadow.verify_all();
    s.shadow.forget_all();
    s.resource->release();
    expect_equal(s.upstream.blocks.size(), 0, "blocks that upstream did not get back");
    s.check();
}

void renew(resource_state& s, input& in) {
    s.shadow.verify_all();
    s.end();
    s.make(in);
}

void look(resource_state& s, input&) {
    s.check();
    s.shadow.verify_all();
    expect(*s.resource == *s.resource && *s.resource != s.upstream, "a resource is equal to itself alone");
}

void one(resource_state& s, input& in) {
    static constexpr operation<resource_state> all[] = {{&allocate, 48}, {&deallocate, 48}, {&run_out, 2},
                                                        {&trim},         {&release},        {&renew},
                                                        {&look},         {&elsewhere, 3},   {&end_thread}};
    perform_one(all, s, in);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    input in{data, size};
    resource_state state;
    state.make(in);
    while (!in.empty()) {
        one(state, in);
    }
    state.finish();
    return 0;
}
