// SPDX-License-Identifier: Apache-2.0
// Promise: Valgrind's Memcheck sees each object of a pool: use after free, a leak, and a read of
// what was never written are reported; a correct program is clean.
//
// Breaks when Memcheck is not recognised and objects stay in caches that it takes for live memory.
// The program runs itself under valgrind, once a scenario; a correct scenario must be clean and a
// wrong one reported, so neither silence nor noise passes.
#include "process.hpp"

#include <linn/linn.hpp>

namespace {

struct item {
    long words[8];
};

int scenario(const char* name) {
    CHECK(linn_test::on_memcheck());
    item* p = linn::pool<item>::allocate();
    item* volatile q = p;
    if (std::strcmp(name, "unwritten") == 0) {
        if (q->words[1] == 12345) {
            linn_test::say("unlikely\n");
        }
    }
    std::memset(static_cast<void*>(p), 0, sizeof *p);
    if (std::strcmp(name, "leak") == 0) {
        q = nullptr;
        return 0;
    }
    if (std::strcmp(name, "beyond") == 0) {
        reinterpret_cast<volatile char*>(q)[sizeof(item)] = 1;
    }
    if (std::strcmp(name, "before") == 0) {
        reinterpret_cast<volatile char*>(q)[-1] = 1;
    }
    if (std::strcmp(name, "inside") == 0) {
        void* inside = &q->words[1];
        linn::pool<item>::deallocate(static_cast<item*>(inside));
    }
    if (std::strcmp(name, "elsewhere") == 0) {
        static item global;
        linn::pool<item>::deallocate(&global);
    }
    linn::pool<item>::deallocate(p);
    if (std::strcmp(name, "use-after-free") == 0) {
        q->words[3] = 1;
    }
    if (std::strcmp(name, "twice") == 0) {
        linn::pool<item>::deallocate(q);
    }
    linn::map<int, int> map{{1, 2}};
    map.emplace(3, 4);
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    if (argc == 2) {
        return scenario(argv[1]);
    }
    if (const char* const why = linn_test::why_no_valgrind(); why != nullptr) {
        return linn_test::skip(why);
    }
    const auto run = [&](const char* name) {
        return linn_test::run_child([&] {
            ::execlp("valgrind", "valgrind", "--error-exitcode=99", "--leak-check=full", "-q", argv[0], name,
                     static_cast<char*>(nullptr));
            ::_exit(1);
        });
    };
    const auto correct = run("correct");
    if (correct.says("debuginfo reader")) {
        return linn_test::skip("this valgrind cannot read this compiler's debug information");
    }
    correct.expect_success("correct");
    const auto expect = [&](const char* name, const char* words) {
        const auto child = run(name);
        child.expect(child.exited_with(99) && child.says(words), name);
    };
    expect("use-after-free", "Invalid write of size");
    expect("twice", "Invalid free()");
    expect("inside", "Invalid free()");
    expect("elsewhere", "Invalid free()");
    expect("beyond", "Invalid write of size 1");
    expect("before", "Invalid write of size 1");
    expect("unwritten", "uninitialised value");
    expect("leak", "definitely lost");
}
