// SPDX-License-Identifier: Apache-2.0
#include <linn/buffer_pool.hpp>

#include <cstdio>
#include <cstring>

int main() {
    // [ask]
    linn::buffer_pool frames{std::size_t{32} << 20, {.huge_pages = linn::huge_page_use::reserved}};
    linn::buffer frame = frames.acquire(); // never fails for want of huge pages
    // [/ask]
    std::memset(frame.data(), 1, frame.size());

    // [told]
    switch (frame.huge_pages()) {
    case linn::huge_page_use::reserved:
        std::fprintf(stderr, "on huge pages of the administrator\n");
        break;
    case linn::huge_page_use::transparent:
        std::fprintf(stderr, "the kernel was asked\n");
        break;
    case linn::huge_page_use::off:
        std::fprintf(stderr, "on usual pages\n");
        break;
    }
    // [/told]
    std::printf("usable: %d\n", frame.span().back() == std::byte{1});
}
