// SPDX-License-Identifier: Apache-2.0
// What the recorder writes is what the reader reads, and no bytes make the reader read outside them.
#include "measure/process.hpp"
#include "trace/chunk.hpp"
#include "trace/decode.hpp"
#include "unit.hpp"

namespace linn::tool::trace_chunk_tests {

using namespace linn::tool::wire;

struct chunk_memory {
    std::unique_ptr<unsigned char[]> bytes{new unsigned char[chunk_bytes]()};
    std::unique_ptr<encoder> writer{new encoder()};
    unsigned char* limit = nullptr;

    chunk_memory() {
        chunk_header h;
        h.image = 3;
        h.stream = 5;
        h.pid = 77;
        h.first_ticks = 1'000'000;
        writer->bind(&limit);
        writer->begin(bytes.get(), h);
    }
    std::span<const std::byte> view(std::size_t size = chunk_bytes) const {
        return {reinterpret_cast<const std::byte*>(bytes.get()), size};
    }
};

struct collected : chunk_sink {
    std::vector<raw_event> events;
    std::vector<std::vector<std::uint64_t>> stacks;
    std::vector<std::string> texts;
    std::vector<timed_record> timed;

    void on_event(const raw_event& e) { events.push_back(e); }
    void on_stack(const stack_record& s) { stacks.emplace_back(s.frames.begin(), s.frames.end()); }
    void on_process(const process_record& p) {
        const std::vector<std::string> words = strings_of(p.words);
        texts.insert(texts.end(), words.begin(), words.end());
    }
    void on_module(const module_record& m) { texts.emplace_back(m.path); }
    void on_rtti(std::uint64_t, std::uint32_t, std::string_view name) { texts.emplace_back(name); }
    void on_timed(std::uint64_t, const timed_record& r) { timed.push_back(r); }
    void on_thread_name(std::uint64_t, std::string_view name) { texts.emplace_back(name); }
};

constexpr auto number(allocation_call c) noexcept {
    return static_cast<std::uint8_t>(c);
}

/// An event with every oddity now and then.
raw_event random_event(std::mt19937_64& random, std::uint64_t& ticks) {
    raw_event e;
    ticks += random() % 8 == 0 ? random() % (std::uint64_t{1} << (random() % 50)) : random() % 4000;
    e.ticks = ticks >> tick_shift << tick_shift;
    const auto address = [&] {
        const std::uint64_t region =
            random() % 4 == 0 ? random() >> 8 : 0x5555'0000'0000 + random() % (1 << 20);
        const unsigned align = random() % 8;
        return align < 6 ? region & ~std::uint64_t{15} : align == 6 ? region & ~std::uint64_t{7} : region;
    };
    e.address = address();
    const std::uint64_t size = random() % 10 == 0 ? random() >> (8 + random() % 56) : 16 * (random() % 4);
    switch (random() % 12) {
    case 0:
        e.kind = event_kind::reallocation;
        e.call = allocation_call::realloc;
        e.old_address = address();
        e.bytes = size;
        e.stack = static_cast<std::uint32_t>(random());
        break;
    case 1:
        e.kind = event_kind::failure;
        e.call = allocation_call::operator_new_aligned;
        e.alignment_log2 = 6;
        e.address = 0;
        e.bytes = ~std::uint64_t{0};
        e.old_address = address();
        break;
    case 2:
    case 3:
    case 4:
    case 5:
        e.kind = event_kind::release;
        e.call =
            random() % 50 == 0 ? allocation_call::realloc : static_cast<allocation_call>(9 + random() % 3);
        break;
    default:
        e.kind = event_kind::allocation;
        e.call = static_cast<allocation_call>(1 + random() % 8);
        e.alignment_log2 = static_cast<std::uint8_t>(random() % 8 == 0 ? 12 : 0);
        e.bytes = size;
        e.stack = static_cast<std::uint32_t>(1 + random() % 700);
    }
    return e;
}

void write(encoder& to, const raw_event& e) {
    switch (e.kind) {
    case event_kind::allocation:
        return to.allocation(e.ticks, e.address, e.bytes,
                             encoder::stack_word(e.stack, number(e.call), e.alignment_log2));
    case event_kind::release:
        return to.release(e.ticks, e.address, number(e.call));
    case event_kind::reallocation:
        return to.reallocation(e.ticks, e.old_address, e.address, e.bytes, e.stack);
    case event_kind::failure:
        return to.failure(e.ticks, e.bytes, e.stack, number(e.call), e.alignment_log2, e.old_address);
    }
}

bool same(const raw_event& a, const raw_event& b) {
    return a.ticks == b.ticks && a.address == b.address && a.old_address == b.old_address &&
           a.bytes == b.bytes && a.stack == b.stack && a.kind == b.kind && a.call == b.call &&
           a.alignment_log2 == b.alignment_log2;
}

TEST_CASE("every event comes back as it was written, odd addresses, sizes and times included") {
    for (unsigned seed = 0; seed != 20; ++seed) {
        std::mt19937_64 random{seed};
        chunk_memory chunk;
        std::vector<raw_event> written;
        for (std::uint64_t ticks = 1'000'000; chunk.writer->has_room();) {
            written.push_back(random_event(random, ticks));
            write(*chunk.writer, written.back());
        }
        CHECK(written.size() > 10'000);
        const bool closed = seed % 2 == 0;
        if (closed) {
            chunk.writer->end();
        }
        collected found;
        const decoded_chunk result = decode_chunk(chunk.view(), found);
        CHECK(result.damage == nullptr);
        CHECK(result.events == written.size());
        CHECK(result.last_ticks == written.back().ticks);
        CHECK((result.header.used == result.used) == closed);
        CHECK(result.header.pid == 77);
        REQUIRE(found.events.size() == written.size());
        std::size_t wrong = 0;
        for (std::size_t i = 0; i != written.size(); ++i) {
            wrong += same(found.events[i], written[i]) ? 0u : 1u;
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("records are told, and a record of a newer recorder is stepped over") {
    chunk_memory chunk;
    encoder& to = *chunk.writer;
    const std::uintptr_t frames[] = {0x7fff'1234'5678, 0x5555'0000'0010, 0x7fff'0000'0001};
    to.stack(1'000'100, 41, frames, 3);

    unsigned char* p = to.begin_record(1'000'200);
    p = encoder::put_bytes(p, "anything", 8);
    to.end_record(static_cast<entry>(60), p);

    p = to.begin_record(1'000'300);
    p = encoder::put_varint(p, 41);
    p = encoder::put_bytes(p, "N5shape6CircleE", 15);
    to.end_record(entry::rtti, p);

    p = to.begin_record(1'000'400);
    *p++ = 1;
    for (const unsigned n : {2u, 1234u, 1u}) {
        p = encoder::put_varint(p, n);
    }
    p = encoder::put_bytes(p, "/bin/x\0a\0\0b\0", 12);
    to.end_record(entry::process, p);
    to.release(1'000'500, 0x1000, number(allocation_call::free));

    collected found;
    const decoded_chunk result = decode_chunk(chunk.view(), found);
    CHECK(result.damage == nullptr);
    CHECK(result.events == 1);
    REQUIRE(found.stacks.size() == 1);
    CHECK(found.stacks[0] == std::vector<std::uint64_t>(std::begin(frames), std::end(frames)));
    CHECK(found.texts == std::vector<std::string>{"N5shape6CircleE", "/bin/x", "a", "", "b"});
}

TEST_CASE("what a call took comes back as it was written") {
    chunk_memory chunk;
    chunk.writer->timed(1'000'500, {123'456'789, 128, true}, true);
    chunk.writer->timed(1'000'600, {0, 1, false}, false);
    collected found;
    CHECK(decode_chunk(chunk.view(), found).damage == nullptr);
    REQUIRE(found.timed.size() == 2);
    CHECK(found.timed[0].is_of_release);
    CHECK(found.timed[0].timing.is_fenced);
    CHECK(found.timed[0].timing.ticks == 123'456'789);
    CHECK(found.timed[0].timing.weight == 128);
    CHECK(!found.timed[1].is_of_release);
    CHECK(!found.timed[1].timing.is_fenced);
    CHECK(found.timed[1].timing.weight == 1);
}

} // namespace linn::tool::trace_chunk_tests
