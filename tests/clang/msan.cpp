// SPDX-License-Identifier: Apache-2.0
// Promise: MemorySanitizer reports a read of an object that was not written since it was allocated, on a new slot and on one used
// before, and nothing of the library itself.
//
// Breaks when a pool hands out memory as if it were written: mapped memory is zeros, and the last user's bytes look like values.
#include <linn/linn.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <thread>
#include <vector>

extern "C" const char* __msan_default_options() { // NOLINT: the runtime's name
    return "exitcode=77";
}

namespace {

struct item {
    item() noexcept {} // leaves `rest` unwritten, as `item() = default` would not
    int first = 0;
    int rest[20];
};

volatile int seen = 0;

[[gnu::noinline]] void look(int value) {
    if (value == 42) {
        seen = 1;
    }
}

/// Reads what no constructor wrote, of a slot that an object left with all of it written.
template <class Pool>
void read_reused(Pool& pool) {
    item* p = pool.create();
    for (int& i : p->rest) {
        i = 1;
    }
    pool.destroy(p);
    p = pool.create();
    look(p->first);
    look(p->rest[3]);
}

struct any_pool { // the functions of `pool` are static
    static item* create() { return linn::pool<item>::create(); }
    static void destroy(item* p) { linn::pool<item>::destroy(p); }
};

void use_all() {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([] {
            std::vector<std::shared_ptr<item>> owned;
            for (int i = 0; i < 3000; ++i) {
                owned.push_back(linn::make_shared<item>());
                look(owned.back()->first);
            }
        });
    }
    for (std::thread& t : threads) {
        t.join();
    }
    linn::local_pool<item> local;
    linn::handle_pool<item> handles;
    linn::recycler<item> recycler;
    linn::pool_resource resource;
    linn::buffer_pool buffers{1 << 16};
    for (int i = 0; i < 3000; ++i) {
        item* p = local.create();
        look(p->first);
        local.destroy(p);
        const auto h = handles.create();
        look(handles.get(h)->first);
        handles.destroy(h);
        look(recycler.acquire()->first);
        const auto bytes = static_cast<std::size_t>(1 + i);
        auto* block = static_cast<char*>(resource.allocate(bytes));
        block[bytes - 1] = 1;
        look(block[bytes - 1]);
        resource.deallocate(block, bytes);
        linn::buffer b = buffers.acquire();
        b.data()[i] = std::byte{1};
        look(static_cast<int>(b.data()[i]));
    }
    linn::pool<item>::trim();
}

bool ok = true;

template <class F>
void expect(int status, const char* what, F f) {
    const ::pid_t child = ::fork();
    if (child == 0) {
        f();
        ::_exit(0);
    }
    int got = 0;
    if (::waitpid(child, &got, 0) != child || !WIFEXITED(got) || WEXITSTATUS(got) != status) {
        std::fprintf(stderr, "%s: wait status %d, not exit status %d\n", what, got, status);
        ok = false;
    }
}

} // namespace

int main() {
    expect(0, "all pools", use_all);
    expect(77, "a new object", [] { look(linn::pool<item>::create()->rest[3]); });
    expect(77, "make_shared_for_overwrite", [] { look(linn::make_shared_for_overwrite<item>()->rest[3]); });
    expect(77, "a slot of pool", [] {
        any_pool p;
        read_reused(p);
    });
    expect(77, "a slot of local_pool", [] {
        linn::local_pool<item> p;
        read_reused(p);
    });
    expect(77, "a slot of fixed_pool", [] {
        static linn::fixed_pool<item, 10> p;
        read_reused(p);
    });
    expect(77, "a slot of handle_pool", [] {
        linn::handle_pool<item> p;
        const auto before = p.create();
        p.get(before)->rest[3] = 1;
        p.destroy(before);
        look(p.get(p.create())->rest[3]);
    });
    expect(77, "pool_resource", [] {
        linn::pool_resource r;
        look(*static_cast<int*>(r.allocate(sizeof(int))));
    });
    return ok ? 0 : 1;
}
