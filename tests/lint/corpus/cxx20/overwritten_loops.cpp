// SPDX-License-Identifier: Apache-2.0
// Loops that write every element of a vector, however they count.
#include <cstddef>
#include <cstdint>
#include <vector>
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
std::vector<float> rows_and_columns(int width, int height) {
    std::vector<float> v(static_cast<std::size_t>(width) * height); // overwrites 4 each, no fix, removable
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            v[y * width + x] = f(x + y);
        }
    }
    return v;
}
std::vector<std::uint8_t> channels(int n) {
    std::vector<std::uint8_t> v(3 * n); // overwrites 1 each, no fix, removable
    for (int i = 0; i < n; ++i) {
        v[3 * i] = 1;
        v[3 * i + 1] = 2;
        v[3 * i + 2] = 3;
    }
    return v;
}
std::vector<int> by_fours(int n) {
    std::vector<int> v(4 * n); // overwrites 4 each, no fix, removable
    for (int i = 0; i < 4 * n; i += 4) {
        v[i] = 1;
        v[i + 1] = 2;
        v[i + 2] = 3;
        v[i + 3] = 4;
    }
    return v;
}
std::vector<float> backwards(int n) {
    std::vector<float> v(n, 0.0F); // overwrites 4 each, no fix, removable
    for (int i = n - 1; i >= 0; --i) {
        v[i] = f(i);
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
std::vector<float> every_case(int n, int how) {
    std::vector<float> v(n); // overwrites 4 each, no fix, removable
    for (int i = 0; i < n; ++i) {
        switch (how) {
        case 1:
            v[i] = f(1);
            break;
        case 2: {
            v[i] = f(2);
            break;
        }
        default:
            v[i] = 0;
        }
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
    char kind; // and three bytes that nobody writes
};
std::vector<pixel> members(int n) {
    std::vector<pixel> v(n); // overwrites 16 each, no fix, removable
    for (int i = 0; i < n; ++i) {
        v[i].r = v[i].g = v[i].b = f(i);
        v[i].kind = 'p';
    }
    return v;
}
std::vector<float> two_halves(int n, int m) {
    std::vector<float> v(n + m); // overwrites 4 each, no fix, removable
    for (int i = 0; i < n; ++i) {
        v[i] = 1;
    }
    for (int i = 0; i < m; ++i) {
        v[n + i] = 2;
    }
    return v;
}
std::vector<float> within_a_case(int n, int how) {
    std::vector<float> v(n); // overwrites 4 each, no fix, removable
    switch (how) {
    case 1:
        for (int i = 0; i < n; ++i) {
            if (f(i) > 0) {
                break; // leaves the loop, and not the switch
            }
        }
        for (int i = 0; i < n; ++i) {
            v[i] = f(i);
        }
        break;
    default:
        for (int i = 0; i < n; ++i) {
            v[i] = 0;
        }
    }
    return v;
}
