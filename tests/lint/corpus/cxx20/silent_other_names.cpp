// SPDX-License-Identifier: Apache-2.0
// Something reads the zeros through another name, or a copy.
#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
int f(int);
void use(const void*);
void sink(const std::string&);
struct pair {
    int a, b;
};
int pointer_to_vector(int n) {
    std::vector<int> v;
    auto* p = &v;
    p->resize(n);
    int s = v[0];
    for (int i = 0; i < n; ++i) {
        (*p)[i] = i;
    }
    return s + v[1];
}
int binding_range(int n) {
    std::vector<pair> v(n);
    int t = 0;
    for (auto& [a, b] : v) {
        t += a;
    }
    for (int i = 0; i < n; ++i) {
        v[i] = {i, i};
    }
    return t + v[1].a;
}
int lambda_copy(int n) {
    std::vector<int> v(n);
    auto g = [v] { return v[0]; };
    for (int i = 0; i < n; ++i) {
        v[i] = f(i);
    }
    return g() + v[1];
}
struct reader {
    std::vector<int>& v;
    int sum() const { return v[0]; }
};
int reader_before(int n) {
    std::vector<int> v;
    reader r{v};
    v.resize(n);
    int t = r.sum();
    for (int i = 0; i < n; ++i) {
        v[i] = f(i);
    }
    return t + v[1];
}
void string_of(int n) {
    std::vector<char> v(n);
    std::string t(v.data());
    for (int i = 0; i < n; ++i) {
        v[i] = 'x';
    }
    sink(t);
    use(v.data());
}
struct summer {
    int s;
    explicit summer(const int* p) : s(p[0]) {}
};
int constructor_reads(int n) {
    std::vector<int> v(n);
    summer s(v.data());
    for (int i = 0; i < n; ++i) {
        v[i] = f(i);
    }
    return s.s + v[1];
}
int released(int n) {
    auto p = std::make_unique<int[]>(n);
    int* q = p.release();
    return q[0];
}
int get_of_array() {
    std::array<int, 64> a{};
    int s = std::get<3>(a);
    for (int i = 0; i < 64; ++i) {
        a[i] = f(i);
    }
    return s + a[1];
}
int range_over_element(int n) {
    std::vector<std::array<int, 4>> v(n);
    int t = 0;
    for (int x : v[0]) {
        t += x;
    }
    for (int i = 0; i < n; ++i) {
        v[i] = {1, 2, 3, 4};
    }
    return t + v[0][1];
}
int string_view_of(int n) {
    std::string v(n, ' ');
    std::string_view w = v;
    int t = w[0];
    for (int i = 0; i < n; ++i) {
        v[i] = 'x';
    }
    return t + v[0];
}
template <int K>
int versions(int n) {
    std::vector<int> v(n);
    int t = 0;
    if constexpr (K == 6) {
        t = v[0];
    }
    for (int i = 0; i < n; ++i) {
        v[i] = f(i);
    }
    return t + v[1];
}
void throws_before(std::vector<int>& v, int n) {
    v.resize(n);
    if (f(1)) {
        throw 1;
    }
    for (int i = 0; i < n; ++i) {
        v[i] = f(i);
    }
}
int binding_of_pointer(int n) {
    std::vector<int> v(n);
    auto [p, m] = std::pair{v.data(), n};
    int t = p[0];
    for (int i = 0; i < n; ++i) {
        v[i] = f(i);
    }
    return t + v[1];
}
int reads_in_the_sixth(int n) {
    return versions<1>(n) + versions<2>(n) + versions<3>(n) + versions<4>(n) + versions<5>(n) +
           versions<6>(n);
}
class member {
    std::vector<int> v_;

public:
    int other_this(int n) {
        auto self = this;
        v_.resize(n);
        int t = self->v_[0];
        for (int i = 0; i < n; ++i) {
            v_[i] = 1;
        }
        return t;
    }
};
