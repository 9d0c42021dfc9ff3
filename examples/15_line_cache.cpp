// SPDX-License-Identifier: Apache-2.0
// A database caches pieces of remote files, 8 MiB each. std::make_shared<line>() would write 8 MiB of
// zeros that the download overwrites at once.
#include <linn/buffer_pool.hpp>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>
#include <unordered_map>

// [line]
struct line {
    char data[8 << 20]; // no initialiser: std::make_shared<line>() zeroes it, new line does not
    std::mutex lock;
    std::atomic<std::size_t> size = 0;
};
// [/line]

// [cache]
class line_cache {
public:
    std::shared_ptr<line> get(int key) {
        std::shared_ptr<line>& cached = lines_[key];
        if (cached == nullptr) {
            cached = memory_.make_shared_for_overwrite<line>(); // data keeps what was there
            download(key, *cached);
        }
        return cached;
    }
    void evict(int key) { lines_.erase(key); } // readers may still hold it; the last one gives it back
    linn::buffer_statistics statistics() const { return memory_.statistics(); }

private:
    static void download(int key, line& to) {
        const std::lock_guard guard{to.lock};
        std::fill(to.data, to.data + sizeof to.data, static_cast<char>('A' + key % 26));
        to.size = sizeof to.data;
    }

    linn::buffer_pool memory_{sizeof(line), {.retain_bytes = 64 << 20}};
    std::unordered_map<int, std::shared_ptr<line>> lines_;
};
// [/cache]

int main() {
    line_cache cache;
    for (int key = 0; key < 20; ++key) {
        const std::shared_ptr<line> l = cache.get(key);
        std::printf("%c", l->data[l->size - 1]);
        cache.evict(key - 1); // two lines live at a time
    }
    const linn::buffer_statistics s = cache.statistics();
    std::printf("\n%zu lines in %zu buffers, live %zu\n", s.acquired, s.mappings, s.live);
}
