// SPDX-License-Identifier: Apache-2.0
// What is written is a part, a copy, or fewer elements than there are.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>
int f(int);
struct pair {
    int a, b;
};
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
