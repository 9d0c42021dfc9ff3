// SPDX-License-Identifier: Apache-2.0
// Fills that something reads through another name, and what is written in part.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Something reads the zeros through another name, or a copy.
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

// What is written is a part, a copy, or fewer elements than there are.
std::vector<int> pointer_to_bound(int n) {
    int* p = &n;
    std::vector<int> v(n);
    *p = n / 2;
    for (int i = 0; i < n; ++i) {
        v[i] = f(i);
    }
    return v;
}
struct narrow {
    int a;
};
std::vector<pair> narrow_struct(int n) {
    std::vector<pair> v(n);
    for (int i = 0; i < n; ++i) {
        reinterpret_cast<narrow*>(&v[i])->a = i;
    }
    return v;
}
struct derived : pair {
    int c;
};
std::vector<derived> base_unwritten(int n) {
    std::vector<derived> v(n);
    for (int i = 0; i < n; ++i) {
        v[i].c = i;
    }
    return v;
}
std::vector<int> narrow_bound(int n) {
    std::vector<int> v(n);
    std::uint8_t m = n;
    for (int i = 0; i < m; ++i) {
        v[i] = i;
    }
    return v;
}
std::vector<int> copy_narrow(const std::vector<short>& a) {
    std::vector<int> v(a.size());
    std::copy(a.begin(), a.end(), reinterpret_cast<short*>(v.data()));
    return v;
}
namespace util {
template <class F>
void for_each(std::vector<int>& v, F f) {
    for (auto& x : v) {
        if (x != 0) {
            f(x);
        }
    }
}
} // namespace util
std::vector<int> own_for_each(int n) {
    std::vector<int> v(n);
    util::for_each(v, [](int& x) { x = 1; });
    return v;
}
int omp_firstprivate() {
    int a[64] = {};
#pragma omp parallel for firstprivate(a)
    for (int i = 0; i < 64; ++i) {
        a[i] = f(i);
    }
    return a[3];
}
struct bump {
    int& x;
    ~bump() { ++x; }
};
std::vector<int> destructor_changes_counter(int n) {
    std::vector<int> v(n);
    for (int i = 0; i < n; ++i) {
        bump b{i};
        v[i] = 1;
    }
    return v;
}
std::vector<int> function_changes_counter(int n) {
    std::vector<int> v(n);
    for (int i = 0; i < n; ++i) {
        std::function<void()> skip = [&j = i] { ++j; };
        v[i] = 1;
        skip();
    }
    return v;
}
struct context {
    int n;
};
void update(context*);
std::vector<int> changed_by_callee(context* c) {
    std::vector<int> v(c->n);
    update(c);
    for (int i = 0; i < c->n; ++i) {
        v[i] = 1;
    }
    return v;
}
struct number {
    int a, b;
    number& operator=(int x) {
        a = x;
        return *this;
    }
};
std::vector<number> converting_assign(int n) {
    std::vector<number> v(n);
    for (int i = 0; i < n; ++i) {
        v[i] = i;
    }
    return v;
}
std::vector<std::array<int, 16>> fill_one(int n) {
    std::vector<std::array<int, 16>> v(n);
    v[0].fill(1);
    return v;
}
void pointer_reassigned(std::vector<int>* p, std::vector<int>* q, int n) {
    p->resize(n);
    p = q;
}
std::vector<int> mutable_copy(int n) {
    std::vector<int> v(n);
    [v, n]() mutable {
        for (int i = 0; i < n; ++i) {
            v[i] = f(i);
        }
    }();
    return v;
}
std::vector<int> bound_captured(int n) {
    auto put = [n](std::vector<int>& v) {
        for (int i = 0; i < n; ++i) {
            v[i] = f(i);
        }
    };
    n *= 2;
    std::vector<int> v(n);
    put(v);
    return v;
}
