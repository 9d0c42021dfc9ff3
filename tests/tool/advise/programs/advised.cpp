// SPDX-License-Identifier: Apache-2.0
// Programs whose advice is known beforehand, one a word of the command line. Those that must cost little next to what
// they compute go on until they have used so much CPU time, whatever the machine does meanwhile.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>

struct particle {
    double position[3];
    double speed[3];
};

struct line {
    char data[4 << 20];
};

struct forgotten {
    char text[500];
};

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

void fill() {
    for (int i = 0; i != 60; ++i) {
        auto buffer = std::make_shared<line>();
        sink = buffer->data[i];
    }
}

void leak() {
    for (int i = 0; i != 7; ++i) {
        last = std::make_unique<forgotten>().release();
    }
}

/// What the C library keeps, and a leak.
void chatty() {
    std::printf("a line\n");
    leak();
}

} // namespace

int main(int argc, char** argv) {
    const std::string_view what = argc > 1 ? argv[1] : "";
    if (what == "few") {
        few();
    } else if (what == "churn") {
        churn(argc > 2 ? std::atoi(argv[2]) : 300'000);
    } else if (what == "fill") {
        fill();
    } else if (what == "leak") {
        leak();
    } else if (what == "chatty") {
        chatty();
    } else {
        return 2;
    }
    return 0;
}
