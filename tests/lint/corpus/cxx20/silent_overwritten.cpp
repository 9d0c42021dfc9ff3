// SPDX-License-Identifier: Apache-2.0
// Fills that something needs, or that somebody may need.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>
int f(int);
void use(const std::vector<int>&);
std::vector<int> histogram(const int* k, int n) {
    std::vector<int> v(256);
    for (int i = 0; i < n; ++i) {
        v[k[i]]++;
    }
    return v;
}
std::vector<int> not_the_first(int n) {
    std::vector<int> v(n);
    for (int i = 1; i < n; ++i) {
        v[i] = i;
    }
    return v;
}
std::vector<int> only_some(int n) {
    std::vector<int> v(n);
    for (int i = 0; i < n; ++i) {
        if (i & 1) {
            v[i] = i;
        }
    }
    return v;
}
std::vector<int> leaves(int n) {
    std::vector<int> v(n);
    for (int i = 0; i < n; ++i) {
        if (f(i) > 2) {
            break;
        }
        v[i] = i;
    }
    return v;
}
std::vector<int> goes_on(int n, int without) {
    std::vector<int> v(n);
    for (int i = 0; i < n; ++i) {
        if (i == without) {
            continue;
        }
        v[i] = i;
    }
    return v;
}
std::vector<int> reads_what_comes(int n) {
    std::vector<int> v(n);
    for (int i = 0; i < n; ++i) {
        v[i] = v[n - i - 1];
    }
    return v;
}
std::vector<int> another_length(int n, int m) {
    std::vector<int> v(n);
    for (int i = 0; i < m; ++i) {
        v[i] = 1;
    }
    return v;
}
std::vector<int> every_other(int n) {
    std::vector<int> v(n);
    for (int i = 0; i < n; i += 2) {
        v[i] = 1;
    }
    return v;
}
std::vector<int> a_border(int width, int height) {
    std::vector<int> v(width * height);
    for (int y = 1; y < height - 1; ++y) {
        for (int x = 0; x < width; ++x) {
            v[y * width + x] = 1;
        }
    }
    return v;
}
std::vector<int> another_row_length(int width, int height, int stride) {
    std::vector<int> v(stride * height);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            v[y * stride + x] = 1;
        }
    }
    return v;
}
std::vector<int> length_changes(int n) {
    std::vector<int> v(n);
    n /= 2;
    for (int i = 0; i < n; ++i) {
        v[i] = i;
    }
    return v;
}
std::vector<int> counter_jumps(int n) {
    std::vector<int> v(n);
    for (int i = 0; i < n; ++i) {
        v[i] = 1;
        if (f(i) != 0) {
            ++i;
        }
    }
    return v;
}
std::vector<int> pointer_stays_behind(int n) {
    std::vector<int> v(n);
    int* p = v.data();
    for (int i = 0; i < n; ++i) {
        if (f(i) != 0) {
            *p++ = i;
        }
    }
    return v;
}
std::vector<int> seen_before(int n) {
    std::vector<int> v(n);
    use(v);
    for (int i = 0; i < n; ++i) {
        v[i] = i;
    }
    return v;
}
std::vector<int> seen_meanwhile(int n) {
    std::vector<int> v(n);
    for (int i = 0; i < n; ++i) {
        use(v);
        v[i] = i;
    }
    return v;
}
std::vector<int> pushed(int n) {
    std::vector<int> v(n);
    v.push_back(1);
    return v;
}
std::vector<int> half(const int* from, int n) {
    std::vector<int> v(n);
    std::memcpy(v.data(), from, n * sizeof(short));
    return v;
}
std::vector<std::string> no_fill(int n) {
    std::vector<std::string> v(n);
    for (int i = 0; i < n; ++i) {
        v[i] = "x";
    }
    return v;
}
std::vector<int> on_some_ways(int n, int how) {
    std::vector<int> v(n);
    for (int i = 0; i < n; ++i) {
        switch (how) {
        case 1:
            v[i] = 1;
            break;
        case 2:
            break;
        default:
            v[i] = 2;
        }
    }
    return v;
}
std::vector<int> quiet(int n) {
    std::vector<int> v(n); // NOLINT(linn-overwritten-fill)
    for (int i = 0; i < n; ++i) {
        v[i] = i;
    }
    return v;
}
float at(std::uintptr_t);
float read_through_a_number(int n) {
    std::vector<float> v(n);
    return at(reinterpret_cast<std::uintptr_t>(v.data()) + sizeof(float));
}
float read_from_an_aligned_place(int n) {
    std::vector<float> v(n);
    const auto place = reinterpret_cast<std::uintptr_t>(v.data() + 15) & ~std::uintptr_t{15};
    return *reinterpret_cast<const float*>(place);
}
std::size_t encode(unsigned char* to, std::size_t n);
std::vector<unsigned char> shrinks() {
    std::vector<unsigned char> v;
    v.reserve(1000);
    v.resize(encode(&v[0], v.capacity()));
    encode(&v[0], v.size());
    return v;
}
consteval int in_the_compiler() {
    int all[64] = {};
    for (int i = 0; i < 64; ++i) {
        all[i] = i;
    }
    return all[5];
}
int compiled = in_the_compiler();
std::vector<int> zeros_twice(std::size_t n) {
    std::vector<int> v(n);
    std::memset(v.data(), 0, n * sizeof(int));
    return v;
}
std::vector<int> a_lambda_that_may_not_run(int n) {
    std::vector<int> v(n);
    const auto put = [&] {
        for (int i = 0; i < n; ++i) {
            v[i] = i;
        }
    };
    if (f(1) != 0) {
        put();
    }
    return v;
}
static void some(std::vector<int>& all, int n) {
    for (int i = 0; i < n; ++i) {
        all[i] = i;
    }
}
std::vector<int> a_function_that_writes_some(int n) {
    std::vector<int> v(n);
    some(v, n - 1);
    return v;
}
std::vector<int> not_from_the_start_by_a_shift(int n) {
    std::vector<int> v(n);
    int from = 1;
    from <<= 1;
    for (int i = from - 1; i < n; ++i) {
        v[i] = i;
    }
    return v;
}
std::vector<int> read_by_a_cursor(int n, int* sum) {
    std::vector<int> v(n);
    const int* p = v.data();
    for (int i = 0; i < n; ++i) {
        *sum += *p++;
    }
    for (int i = 0; i < n; ++i) {
        v[i] = i;
    }
    return v;
}
std::vector<int> a_step_that_the_body_changes(std::size_t n) {
    std::vector<int> v(n);
    std::size_t by = 1;
    for (std::size_t i = 0; i < n; i += by) {
        v[i] = 1;
        by = 2;
    }
    return v;
}
std::vector<int> a_lambda_that_returns_early(std::size_t n) {
    std::vector<int> v(n);
    std::for_each(v.begin(), v.end(), [](int& one) {
        if (f(1) != 0) {
            return;
        }
        one = 1;
    });
    return v;
}
std::vector<int> through_a_pointer_that_moves(int n) {
    std::vector<int> v(n);
    int* p = v.data();
    for (int i = 0; i < n / 2; ++i) {
        p[i] = 1;
        ++p;
    }
    return v;
}
struct node {
    int n;
    node* next;
};
std::vector<int> a_bound_of_another_object(node* p) {
    std::vector<int> v(p->n);
    p = p->next;
    for (int i = 0; i < p->n; ++i) {
        v[i] = 1;
    }
    return v;
}
std::vector<int> moved_within_itself(int n) {
    std::vector<int> v(n);
    std::memmove(v.data(), v.data() + 1, n * sizeof(int));
    return v;
}
int after_an_exception(int n) {
    std::vector<int> v(n);
    try {
        for (int i = 0; i < n; ++i) {
            v[i] = f(i);
        }
    } catch (...) {
    }
    return v[0];
}
std::vector<int> by_an_inner_loop_that_may_not_run(int n, int m) {
    std::vector<int> v(n);
    for (int k = 0; k < m; ++k) {
        for (int i = 0; i < n; ++i) {
            v[i] = k;
        }
    }
    use(v);
    return v;
}
std::vector<int> the_second_source(const std::vector<int>& a, std::vector<int>& to) {
    std::vector<int> v(a.size());
    std::transform(a.begin(), a.end(), v.begin(), to.begin(), [](int x, int y) { return x + y; });
    return v;
}
