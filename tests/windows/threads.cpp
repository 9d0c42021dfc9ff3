// SPDX-License-Identifier: Apache-2.0
// Promise: on Windows, threads that come and go leave nothing behind: no objects in caches of threads that are
// gone, no thread numbers; and the calls leave GetLastError alone. With threads of the standard library and of the system's own call.
//
// Breaks where the memory of thread_local variables is freed before a hook could flush what they hold, as
// GCC's emulation of them does.
#include "process.hpp"

#include <linn/linn.hpp>

namespace {

struct item {
    char bytes[40];
};

linn::pool_resource resource;

/// Asks for the thread's number once more, when its variables are gone.
struct late_user {
    bool used = false;
    ~late_user() { resource.deallocate(resource.allocate(64), 64); }
};
thread_local late_user late;

void work() {
    late.used = true;
    ::SetLastError(1234);
    std::vector<item*> all(100);
    for (item*& p : all) {
        p = linn::pool<item>::create();
    }
    for (item* p : all) {
        linn::pool<item>::destroy(p);
    }
    void* p = resource.allocate(64);
    resource.deallocate(p, 64);
    CHECK(::GetLastError() == 1234);
}

DWORD WINAPI entry(void*) {
    work();
    return 0;
}

} // namespace

int main() {
    std::size_t mapped = 0;
    for (int round = 0; round < 600; ++round) {
        if (round % 2 == 0) {
            std::thread{work}.join();
        } else {
            const HANDLE thread = ::CreateThread(nullptr, 0, entry, nullptr, 0, nullptr);
            CHECK(thread != nullptr && ::WaitForSingleObject(thread, INFINITE) == WAIT_OBJECT_0);
            ::CloseHandle(thread);
        }
        const auto s = linn::pool<item>::statistics();
        CHECK(s.live == 0);
        CHECK(s.threads <= 1);
        if (round == 10) {
            mapped = s.reserved_bytes;
        }
        CHECK(round < 10 || s.reserved_bytes == mapped);
    }
    // More threads than there are numbers have come and gone: one that starts now still gets one.
    std::thread{[] {
        using table = linn::detail::thread_index_table<linn::detail::platform>;
        CHECK((linn::detail::thread_index<linn::detail::platform>() < table::most) ==
              linn::detail::thread_locals_last);
    }}.join();
}
