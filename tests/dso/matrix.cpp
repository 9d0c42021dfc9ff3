// SPDX-License-Identifier: Apache-2.0
// Promise: whatever part of the library a plugin uses, and whatever of it the plugin shares with the program, the plugin may be
// unloaded and loaded again; the program forks, goes on using the library, and ends as if it had never been there.
//
// Breaks when a list that is shared by name has a member in the plugin: fork runs a function that is gone, or loops in a list that
// the second load made circular. Which variables a program and a plugin share depends on the compiler, on what each of them
// uses, and on what the program exports; so this is linked in many variants. This file itself does not use the library.
#include "parts.hpp"
#include "process.hpp"
#include "worker.hpp"

#include <dlfcn.h>

/// Of the program or of a library that it is linked with; null where neither has Linn.
extern "C" [[gnu::weak]] const parts* linn_test_parts();

namespace {

class plugin {
public:
    explicit plugin(const char* path, int flags = RTLD_LOCAL) : handle_{::dlopen(path, RTLD_NOW | flags)} {
        if (handle_ == nullptr) {
            linn_test::fail(path, 0, ::dlerror());
        }
        void* symbol = ::dlsym(handle_, "linn_test_parts");
        CHECK(symbol != nullptr);
        parts_ = reinterpret_cast<get_parts*>(symbol)();
    }
    ~plugin() { ::dlclose(handle_); }

    const parts* operator->() const { return parts_; }
    /// Uses a part, and leaves what it leaves.
    void run(std::size_t i) const {
        parts_->all[i].use();
        parts_->all[i].leave();
    }

private:
    void* handle_;
    const parts* parts_;
};

/// Whether a module is still there that everybody has closed and no thread waits for.
bool is_loaded(const char* path) {
    void* handle = nullptr;
    for (int i = 0; i < 2; ++i) { // glibc looks again for what can go whenever a module is closed
        handle = ::dlopen(path, RTLD_NOW | RTLD_NOLOAD);
        if (handle != nullptr) {
            ::dlclose(handle);
        }
    }
    return handle != nullptr;
}

void use_program() {
    if (&linn_test_parts != nullptr) {
        const parts* p = linn_test_parts();
        for (std::size_t i = 0; i < p->count; ++i) {
            p->all[i].use();
        }
    }
}

/// In the child, and in its child, everything works.
void check_fork() {
    use_program();
    linn_test::check_forked([] {
        use_program();
        linn_test::check_forked(&use_program);
    });
    use_program();
}

struct world {
    const char* one;
    const char* two;
    bool goes; ///< whether the loader can let the plugin go
};

/// Loaded, used and closed by a thread that ends. A thread that has used the plugin keeps it.
void come_and_go(const world& w, std::size_t part) {
    std::thread{[&] { plugin{w.one}.run(part); }}.join();
    CHECK(!w.goes || !is_loaded(w.one));
}

void unload(const world& w, std::size_t part) {
    come_and_go(w, part);
    check_fork();
}

void reload(const world& w, std::size_t part) {
    for (int i = 0; i < 3; ++i) {
        come_and_go(w, part);
        check_fork();
    }
}

void fork_while_loaded(const world& w, std::size_t part) {
    linn_test::worker other;
    const plugin p{w.one};
    p.run(part);
    other.run_here([&] { p.run(part); });
    linn_test::check_forked([&] {
        use_program();
        p.run(part);
    });
    check_fork();
    p->all[part].use();
}

/// The thread that used it lives on, and with it what it has cached, in memory that goes with the plugin.
void thread_alive(const world& w, std::size_t part) {
    {
        linn_test::worker other;
        {
            const plugin p{w.one};
            other.run_here([&] { p.run(part); });
        }
        [[maybe_unused]] const bool kept = is_loaded(w.one);
#ifdef __GLIBC__
        // Where the program has the same pools the plugin may use the program's caches, and need not stay.
        const bool own_pools = &linn_test_parts == nullptr || linn_test_parts()->count == 1;
        const bool caches =
            part == 0 && own_pools && !linn::detail::checked_build && !linn_test::on_memcheck();
        CHECK(kept || !caches); // else the thread would flush memory that is gone
#endif
        check_fork();
        other.run_here([&] {
            check_fork();
            plugin{w.two}.run(part);
            plugin{w.one}.run(part);
        });
        check_fork();
    }
    CHECK(!w.goes || !is_loaded(w.one));
    check_fork();
}

/// The first plugin exports its names to the second one, which goes first, or last.
void two(const world& w, std::size_t part) {
    for (const bool first_goes_first : {false, true}) {
        const char* paths[] = {w.one, w.two};
        std::thread{[&] {
            plugin* loaded[] = {new plugin{paths[0], RTLD_GLOBAL}, new plugin{paths[1]}};
            for (plugin* p : loaded) {
                std::thread{[&] { p->run(part); }}.join();
            }
            check_fork();
            const int first = first_goes_first ? 0 : 1;
            delete loaded[first];
            is_loaded(paths[first]);
            check_fork();
            std::thread{[&] { loaded[1 - first]->run(part); }}.join();
            check_fork();
            delete loaded[1 - first];
        }}.join();
        CHECK(!w.goes || (!is_loaded(paths[0]) && !is_loaded(paths[1])));
        check_fork();
    }
}

/// What the program asked for at its end comes then, once, and not when a plugin goes that shares the wish.
void leaks(const world& w, std::size_t part) {
    const parts* program = &linn_test_parts != nullptr ? linn_test_parts() : nullptr;
    if (program == nullptr || program->report_leaks_at_exit == nullptr) {
        return;
    }
    program->report_leaks_at_exit();
    program->all[0].leave();
    come_and_go(w, part);
    linn_test::say("unloaded\n");
}

/// A resource that the plugin made and the program still has: its reports do not name it by words of the plugin.
void outlived(const world& w, std::size_t part) {
    const parts* program = &linn_test_parts != nullptr ? linn_test_parts() : nullptr;
    if (part != 0 || program == nullptr || program->ask_resource == nullptr) {
        return;
    }
    void* resource = nullptr;
    std::thread{[&] {
        resource = plugin {
            w.one
        } -> make_resource();
    }}.join();
    CHECK(!w.goes || !is_loaded(w.one));
    program->ask_resource(resource);
}

struct scenario {
    const char* name;
    void (*run)(const world&, std::size_t part);
};
constexpr scenario scenarios[] = {{"unload", &unload},
                                  {"reload", &reload},
                                  {"fork while loaded", &fork_while_loaded},
                                  {"thread alive", &thread_alive},
                                  {"two", &two},
                                  {"leaks", &leaks},
                                  {"outlived", &outlived}};

} // namespace

/// <plugin> <its copy> goes|stays
int main(int argc, char** argv) {
    CHECK(argc == 4);
#ifdef __GLIBC__
    const bool goes = std::string_view{argv[3]} == "goes";
#else
    const bool goes = false; // other loaders keep all
#endif
    const world w{argv[1], argv[2], goes};
    // Each in a process of its own, which ends by exit.
    std::size_t count = 1;
    for (std::size_t part = 0; part < count; ++part) {
        for (const scenario& s : scenarios) {
            const auto child = linn_test::run_child([&] { s.run(w, part); }, 20 * linn_test::slowdown);
            const std::string what = std::string{s.name} + ", part " + std::to_string(part);
            child.expect(child.exited_with(0), what.c_str());
            if (s.run == &leaks && child.says("unloaded")) {
                const std::size_t at = child.error.find("alive: matrix_item");
                child.expect(at != std::string::npos && at > child.error.find("unloaded") &&
                                 child.error.find("alive: matrix_item", at + 1) == std::string::npos,
                             "the leak report of the program");
            }
        }
        if (part == 0) {
            const auto asked =
                linn_test::run_child([&] { std::_Exit(static_cast<int>(plugin { w.one } -> count)); });
            count = static_cast<std::size_t>(WEXITSTATUS(asked.status));
            CHECK(count > 1);
        }
    }
}
