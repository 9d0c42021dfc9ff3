// SPDX-License-Identifier: Apache-2.0
#include "buffer_threads.hpp"

#include <memory>

namespace linn::bench::buffer_threads {
namespace {

class from_new {
public:
    explicit from_new(std::size_t bytes) noexcept : bytes_{bytes} {}
    [[gnu::always_inline]] std::unique_ptr<char[]> take() const {
        return std::unique_ptr<char[]>{new char[bytes_]};
    }
    static const void* data(const std::unique_ptr<char[]>& p) noexcept { return p.get(); }

private:
    std::size_t bytes_;
};

} // namespace

void run_general(sampler& s) {
    measure<from_new>(s);
}

} // namespace linn::bench::buffer_threads
