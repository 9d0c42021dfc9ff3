// SPDX-License-Identifier: Apache-2.0
// The group threads: each of the programs over each kind of memory.
#include "crew.hpp"
#include "pairs.hpp"
#include "programs.hpp"

#include <linn/memory_resource.hpp>

#include <memory_resource>
#include <string_view>

namespace linn::tool::worker {
namespace {

/// Every program knows the size of a block that it frees, and passes it.
struct new_delete {
    static void* take(std::size_t bytes) { return ::operator new(bytes); }
    static void give(void* p, std::size_t bytes) noexcept { ::operator delete(p, bytes); }
};

/// One for all threads and sizes, called as any `std::pmr::memory_resource`.
struct resource_memory {
    static void* take(std::size_t bytes) { return shared()->allocate(bytes); }
    static void give(void* p, std::size_t bytes) noexcept { shared()->deallocate(p, bytes); }

private:
    static std::pmr::memory_resource* shared() noexcept {
        std::pmr::memory_resource* r = default_pool_resource();
        asm volatile("" : "+r"(r)); // a program does not know which resource it has
        return r;
    }
};

template <class Program, class Memory>
outcome run_program(const options& o) {
    return measure_program(o, Program::usual_operations, &Program::template run<Memory>);
}

/// All programs of the group, over one kind of memory.
template <class Memory>
constexpr std::array<variant, 9> all_programs(std::string_view name) {
    return {variant{"larson", name, &run_program<larson, Memory>},
            variant{"mstress", name, &run_program<mstress, Memory>},
            variant{"rptest", name, &run_program<rptest, Memory>},
            variant{"xmalloc-test", name, &run_program<xmalloc_test, Memory>},
            variant{"sh6bench", name, &run_program<sh6bench, Memory>},
            variant{"sh8bench", name, &run_program<sh8bench, Memory>},
            variant{"alloc-test", name, &run_program<alloc_test, Memory>},
            variant{"cache-scratch", name, &run_program<cache_scratch, Memory>},
            variant{"glibc-thread", name, &run_program<glibc_thread, Memory>}};
}

constexpr auto general = all_programs<new_delete>("new_delete");
constexpr auto pools = all_programs<size_pools<pool_source>>("linn_pool");
constexpr auto resources = all_programs<resource_memory>("linn_pool_resource");

const variants here[]{variants{general}, variants{pools}, variants{resources}};

} // namespace
} // namespace linn::tool::worker
