// SPDX-License-Identifier: Apache-2.0
// Fills that something overwrites wholly.
#include <stdio.h>
#include <string.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <istream>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

// Loops that write every element of a vector, however they count.
float f(int);
void use(const std::vector<float>&);
std::vector<float> plain(int n) {
    std::vector<float> v(n);      // overwrites 4 each, no fix, removable
    for (int i = 0; i < n; ++i) { // writer
        v[i] = f(i);
    }
    return v;
}
std::vector<float> cast_and_size(long n) {
    std::vector<float> v(static_cast<std::size_t>(n)); // overwrites 4 each, no fix, removable
    for (std::size_t i = 0; i != v.size(); ++i) {
        v.at(i) = f(1);
    }
    return v;
}
std::vector<float> both_branches(int n) {
    std::vector<float> v(n); // overwrites 4 each, no fix, removable
    for (int i = 0; i < n; ++i) {
        if (i % 2 == 0) {
            v[i] = 1;
        } else {
            v[i] = i % 3 == 0 ? f(1) : f(2);
        }
        v[i] += 1;
    }
    return v;
}
std::vector<float> range(int n) {
    std::vector<float> v(n); // overwrites 4 each, no fix, removable
    for (float& x : v) {
        x = f(1);
    }
    return v;
}
void row_by_row(int width, int height) {
    std::vector<float> row(width); // overwrites 4 each, no fix, removable
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            row[x] = f(x * y);
        }
        use(row);
    }
}
struct pixel {
    float r, g, b;
    char kind; // and three bytes of padding
};
std::vector<pixel> members(int n) {
    std::vector<pixel> v(n); // overwrites 16 each, no fix, removable
    for (int i = 0; i < n; ++i) {
        v[i].r = v[i].g = v[i].b = f(i);
        v[i].kind = 'p';
    }
    return v;
}
std::unique_ptr<float[]> heap(long n) {
    auto v = std::make_unique<float[]>(n); // finds 4 each, fix, removable
    for (int i = 0; i < static_cast<int>(n); ++i) {
        v[i] = f(i);
    }
    return v;
}

// Functions of the standard libraries that write as much as a vector or string holds.
std::vector<float> doubled(const std::vector<float>& from) {
    std::vector<float> v;
    v.resize(from.size()); // overwrites 4 each, no fix, removable
    std::transform(from.begin(), from.end(), v.begin(), [](float x) { return 2 * x; });
    return v;
}
std::vector<float> copied(const float* from, std::size_t n) {
    std::vector<float> v(n);                        // overwrites 4 each, no fix, removable
    std::memcpy(v.data(), from, n * sizeof(float)); // writer
    return v;
}
std::string loaded(std::istream& in, std::size_t n) {
    std::string text(n, '\0'); // the read is not checked
    in.read(&text[0], n);
    return text;
}
std::vector<std::uint8_t> read_all(FILE* in, std::size_t n) {
    std::vector<std::uint8_t> v(n); // overwrites 1 each, no fix, removable
    if (fread(v.data(), 1, n, in) != n) {
        return {};
    }
    return v;
}
std::vector<int> of_ranges(const std::vector<int>& from) {
    std::vector<int> v(from.size());    // overwrites 4 each, no fix, removable
    std::ranges::copy(from, v.begin()); // writer
    return v;
}
std::vector<int> for_each(std::size_t n) {
    std::vector<int> v(n);                                        // overwrites 4 each, no fix, removable
    std::for_each(v.begin(), v.end(), [](int& one) { one = 1; }); // writer
    return v;
}
void assigned(std::string& text, const char* from, std::size_t n) {
    text.resize(n);       // overwrites 1 each, no fix, removable
    text.assign(from, n); // writer
}

// Vectors that are members, or belong to another object.
class image {
public:
    void make(int width, int height) {
        width_ = width;
        pixels_.resize(width_ * height); // overwrites 1 each, no fix, removable
        for (int i = 0; i < width_ * height; ++i) {
            pixels_[i] = i;
        }
    }
    void only_some(int n) {
        pixels_.resize(n);
        pixels_[0] = 1;
    }

private:
    std::vector<std::uint8_t> pixels_;
    int width_ = 0;
};
struct planes {
    std::vector<float> luma, chroma;
};
void fill(planes& to, std::vector<float>& other, int n) {
    to.luma.resize(n); // overwrites 4 each, no fix, removable
    to.chroma.resize(n);
    other.assign(n, 0.0F); // overwrites 4 each, no fix, removable
    for (int i = 0; i < n; ++i) {
        to.luma[i] = i;
        other[i] = 2 * to.luma[i];
    }
}

// Fills that a lambda, or a function of the same file, overwrites; and loops that end early or run in parallel.
int g(int);
static void number(std::vector<int>& all) {
    for (std::size_t i = 0; i < all.size(); ++i) { // writer
        all[i] = g(1);
    }
}
std::vector<int> by_a_function(std::size_t n) {
    std::vector<int> v(n); // overwrites 4 each, no fix, removable
    number(v);
    return v;
}
static void number(int* to, int n) {
    for (int i = 0; i < n; ++i) {
        to[i] = i;
    }
}
std::vector<int> by_a_function_that_gets_a_pointer(int n) {
    std::vector<int> v(n); // overwrites 4 each, no fix, removable
    number(v.data(), n);
    return v;
}
std::vector<int> by_a_lambda(int n) {
    std::vector<int> v(n); // overwrites 4 each, no fix, removable
    const auto put = [&](int at) { v[at] = g(at); };
    for (int i = 0; i < n; ++i) {
        put(i);
    }
    return v;
}
std::vector<int> in_a_lambda(int n) {
    const auto make = [&] {
        std::vector<int> v(n); // overwrites 4 each, no fix, removable
        for (int i = 0; i < n; ++i) {
            v[i] = i;
        }
        return v;
    };
    return make();
}
std::vector<int> an_inner_loop_leaves(int n) {
    std::vector<int> v(n); // overwrites 4 each, no fix, removable
    for (int i = 0; i < n; ++i) {
        int j = 0;
        for (; j < 10; ++j) {
            if (g(j) == i) {
                break;
            }
        }
        v[i] = j;
    }
    return v;
}
std::vector<int> in_parallel(int n) {
    std::vector<int> v(n); // overwrites 4 each, no fix, removable
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
        v[i] = g(i);
    }
    return v;
}

// Arrays and objects of a function: the initialiser goes.
void use(const int* p);
void consume(const void* p);
void squares(int k) {
    int all[256] = {}; // overwrites 1024, fix, removable
    for (int i = 0; i < 256; ++i) {
        all[i] = i * k;
    }
    use(all);
}
void of_std(const char* from) {
    std::array<char, 4096> text{}; // overwrites 4096, fix, removable
    memcpy(text.data(), from, text.size());
    consume(&text);
}
struct header {
    std::uint64_t first[4];
    std::uint64_t second[4];
    std::uint64_t length;
};
void send(const std::uint64_t* from, std::uint64_t n) {
    header h{}; // overwrites 72, fix, removable
    memcpy(h.first, from, sizeof h.first);
    memcpy(h.second, from + 4, sizeof h.second);
    h.length = n;
    consume(&h);
}
// Bytes between members would show what was in memory before.
struct gaps {
    char kind;
    std::uint64_t rest[9];
};
void send_gaps(const std::uint64_t* from) {
    gaps h{}; // overwrites 80, note, removable
    h.kind = 1;
    memcpy(h.rest, from, sizeof h.rest);
    consume(&h);
}
std::uint64_t keep_gaps(const std::uint64_t* from) {
    gaps h{}; // overwrites 80, fix, removable
    h.kind = 1;
    memcpy(h.rest, from, sizeof h.rest);
    return h.rest[0] + static_cast<std::uint64_t>(h.kind);
}
void begun(const std::uint64_t* from) {
    header h{};
    memcpy(h.first, from, sizeof h.first);
    consume(&h);
}
