// SPDX-License-Identifier: Apache-2.0
// Programs whose advice is known beforehand, one a word of the command line; also class templates with many instantiations, strings
// that grow and strings that do not, nodes that stay, and blocks of a library without symbols. Those that must cost little next to what
// they compute go on until they have used so much CPU time, whatever the machine does meanwhile.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

struct particle {
    double position[3];
    double speed[3];
};

struct leaked_node {
    leaked_node* next;
    char text[1000];
};

struct forgotten {
    char text[500];
};

extern "C" void* make_opaque();
extern "C" void free_opaque(void* block);

namespace lazy_kernel {

template <int Dimension>
struct point {
    double coordinates[std::size_t{Dimension % 4 + 1}];
};

template <class Approximate, class Exact, class... Arguments>
struct Lazy_rep_n {
    Approximate approximate{};
    Exact* exact = nullptr;
    virtual ~Lazy_rep_n() = default;
};

} // namespace lazy_kernel

namespace {

volatile double sink;
forgotten* volatile last; // so that the compiler must allocate

void compute(double seconds) {
    const std::clock_t end = std::clock() + static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC);
    while (std::clock() < end) {
        for (int i = 0; i != 10'000; ++i) {
            sink = sink + i;
        }
    }
}

void few() {
    std::map<int, std::string> settings;
    for (int i = 0; i != 50; ++i) {
        settings[i] = "a value that does not fit into the string itself";
    }
    compute(0.15);
}

void churn(int count) {
    std::list<particle> particles; // the one to change
    for (int i = 0; i != count; ++i) {
        particles.push_back({});
        if (particles.size() > 100) {
            particles.pop_front();
        }
    }
}

/// What the C library keeps, and a leak.
void chatty() {
    std::printf("a line\n");
    for (int i = 0; i != 7; ++i) {
        last = std::make_unique<forgotten>().release();
    }
}

template <int Number>
[[gnu::noinline]] double make_lazy() {
    using rep = lazy_kernel::Lazy_rep_n<lazy_kernel::point<Number>, lazy_kernel::point<Number + 100>,
                                        int[std::size_t{Number + 1}]>;
    double sum = 0;
    for (int i = 0; i < 2000; ++i) {
        const std::unique_ptr<rep> one(new rep);
        asm volatile("" : : "r"(one.get()) : "memory");
        sum += one->approximate.coordinates[0];
    }
    return sum;
}

template <int... Numbers>
double make_all(std::integer_sequence<int, Numbers...>) {
    return (make_lazy<Numbers>() + ...);
}

/// Each string gets the only block of its life.
[[gnu::noinline]] void build_once() {
    for (std::size_t i = 0; i < 100000; ++i) {
        const std::string text(20 + i % 100, 'x');
        asm volatile("" : : "r"(&text) : "memory");
    }
}

/// Each string gets four blocks, one after the other.
[[gnu::noinline]] void build_slowly() {
    for (int i = 0; i < 20000; ++i) {
        std::string text;
        for (int k = 0; k < 200; ++k) {
            text.push_back('x');
        }
        asm volatile("" : : "r"(&text) : "memory");
    }
}

/// Nodes of about 1 KiB, which stay: four in each of so many steps, or each millisecond until there is such a file.
void grow(const char* steps_or_file) {
    static leaked_node* list = nullptr;
    std::printf("program is ready\n");
    std::fflush(stdout);
    const long steps = std::strtol(steps_or_file, nullptr, 10);
    for (long i = 0; steps != 0 ? i != 4 * steps : !std::filesystem::exists(steps_or_file); ++i) {
        auto* const node = new leaked_node;
        node->next = list;
        std::memset(node->text, 'x', sizeof node->text);
        list = node;
        std::this_thread::sleep_for(std::chrono::milliseconds{steps != 0 || i % 4 != 0 ? 0 : 1});
    }
    std::printf("program is done\n");
}

[[gnu::noinline]] void ask_library() {
    for (int i = 0; i < 100000; ++i) {
        free_opaque(make_opaque());
    }
}

} // namespace

int main(int argc, char** argv) {
    const std::string_view what = argc > 1 ? argv[1] : "";
    if (what == "few") {
        few();
    } else if (what == "churn") {
        churn(argc > 2 ? std::atoi(argv[2]) : 300'000);
    } else if (what == "chatty") {
        chatty();
    } else if (what == "lazy") {
        sink = make_all(std::make_integer_sequence<int, 53>());
    } else if (what == "once") {
        build_once();
    } else if (what == "slowly") {
        build_slowly();
    } else if (what == "grow" && argc > 2) {
        grow(argv[2]);
    } else if (what == "library") {
        ask_library();
    } else {
        return 2;
    }
    return 0;
}
