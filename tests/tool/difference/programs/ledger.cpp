// SPDX-License-Identifier: Apache-2.0
// A program whose allocations are known: for each request a Request, and entries in a list and a vector. Compiled with
// LINN_CHANGED it is its next version: lines have moved, a copy is made in the loop, one type is gone, one is larger.
#include <cstdio>
#include <cstdlib>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace ledger {

/// Without it the compiler leaves the allocation out.
inline void keep(void* block) {
    asm volatile("" : : "r"(block) : "memory");
}

struct Request {
    long number = 0;
    long words[6]{};
};

struct Entry {
    long amount = 0;
#ifdef LINN_CHANGED
    long currency = 0;
#endif
};

struct Audit {
    long seen[9]{};
};

#ifdef LINN_CHANGED
// Lines move.
//
//
//
struct Copy {
    Request of;
    long more = 0;
};

[[gnu::noinline]] long copied(const Request& r) {
    const auto copy = std::make_unique<Copy>(Copy{r, 1});
    keep(copy.get());
    return copy->of.number + copy->more;
}
#endif

[[gnu::noinline]] long serve(std::list<Entry>& entries, long number) {
    const auto request = std::make_unique<Request>();
    request->number = number;
    entries.push_back(Entry{request->number});
    if (entries.size() > 8) {
        entries.pop_front();
    }
    long sum = entries.front().amount;
#ifdef LINN_CHANGED
    for (int i = 0; i != 3; ++i) {
        sum += copied(*request);
    }
#endif
    return sum;
}

[[gnu::noinline]] long audit() {
    static std::vector<std::unique_ptr<Audit>> audits;
    audits.push_back(std::make_unique<Audit>());
    return audits.back()->seen[0];
}

} // namespace ledger

int main(int argc, char** argv) {
    const long requests = argc > 1 ? std::atol(argv[1]) : 100;
    std::list<ledger::Entry> entries;
    long sum = 0;
    for (long i = 0; i != requests; ++i) {
        sum += ledger::serve(entries, i);
    }
#ifndef LINN_CHANGED
    sum += ledger::audit();
#endif
    if (argc > 2) { // a leak, of so many bytes
        ledger::keep(std::malloc(static_cast<std::size_t>(std::atol(argv[2]))));
    }
    std::printf("%ld\n", sum);
    return argc > 3 ? std::atoi(argv[3]) : 0;
}
