// SPDX-License-Identifier: Apache-2.0
// Promise: statistics count the objects that the program has, peaks stay, and the JSON and the table show every pool.
#include "unit.hpp"

#include <linn/buffer_pool.hpp>
#include <linn/memory_resource.hpp>
#include <linn/pool.hpp>
#include <linn/statistics.hpp>

namespace statistics_tests {
struct first_type {
    char c[40];
};
struct second_type {
    char c[56];
};

using linn::pool;
using linn::pool_statistics;

pool_statistics entry(std::string_view type) {
    pool_statistics s;
    s.type = type;
    s.object_bytes = 48;
    s.live = 3;
    s.peak = 1'234'567;
    s.resident_bytes = 5 << 10;
    s.returned_bytes = 7 << 10;
    return s;
}

std::size_t count_of(const std::string& text, std::string_view what) {
    std::size_t n = 0;
    for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) {
        ++n;
    }
    return n;
}

TEST_CASE("statistics: every pool that was used, in order of first use") {
    first_type* a = pool<first_type>::allocate();
    second_type* b = pool<second_type>::allocate();
    const auto all = linn::statistics();
    const auto named = [&](std::string_view name) {
        return std::find_if(all.begin(), all.end(), [&](const pool_statistics& s) { return s.type == name; });
    };
    const auto first = named("statistics_tests::first_type");
    const auto second = named("statistics_tests::second_type");
    REQUIRE(first != all.end());
    REQUIRE(second != all.end());
    CHECK(first < second);
    CHECK(first->live == 1);
    CHECK(first->object_bytes == 40);
    CHECK(second->object_bytes == 56);
    pool<first_type>::deallocate(a);
    pool<second_type>::deallocate(b);
}

TEST_CASE(
    "statistics: a resource has a row for each size class in use, and a buffer pool one, while they live") {
    const auto rows_of = [](std::string_view type) {
        std::vector<pool_statistics> rows;
        for (const pool_statistics& s : linn::statistics()) {
            if (s.type == type) {
                rows.push_back(s);
            }
        }
        return rows;
    };
    const auto blocks = [&] {
        std::size_t live = 0;
        for (const pool_statistics& s : rows_of("linn::pool_resource")) {
            live += s.live;
        }
        return live;
    };
    const std::size_t resources_before = rows_of("linn::pool_resource").size();
    const std::size_t blocks_before = blocks();
    const std::size_t buffers_before = rows_of("linn::buffer").size();
    linn::buffer kept;
    {
        linn::pool_resource resource;
        void* const small = resource.allocate(24);
        void* const large = resource.allocate(1000);
        CHECK(rows_of("linn::pool_resource").size() == resources_before + resource.statistics().size());
        CHECK(blocks() == blocks_before + 2);
        resource.deallocate(small, 24);
        CHECK(blocks() == blocks_before + 1);
        resource.deallocate(large, 1000);

        linn::buffer_pool buffers{std::size_t{1} << 16};
        kept = buffers.acquire();
        static_cast<void>(buffers.acquire());
        const auto rows = rows_of("linn::buffer");
        REQUIRE(rows.size() == buffers_before + 1);
        const auto ours =
            std::find_if(rows.begin(), rows.end(), [](const pool_statistics& s) { return s.live == 1; });
        REQUIRE(ours != rows.end());
        CHECK(ours->object_bytes == std::size_t{1} << 16);
        CHECK(ours->cached == buffers.statistics().cached);
        CHECK(ours->peak == 2);
    }
    CHECK(rows_of("linn::pool_resource").size() == resources_before);
    CHECK(rows_of("linn::buffer").size() == buffers_before + 1); // its pool is gone, but a buffer is out
    kept.reset();
    CHECK(rows_of("linn::buffer").size() == buffers_before);
}

TEST_CASE("statistics: peak is what was out at once, not more than caches too high") {
    struct probe {
        char c[32];
    };
    std::vector<probe*> all(1000);
    pool<probe>::allocate_n(all);
    pool<probe>::deallocate_n(all);
    const auto s = pool<probe>::statistics();
    CHECK(s.live == 0);
    CHECK(s.peak >= 1000);
    CHECK(s.peak <= 1000 + 2 * 128);
    // It stays, also when slots leave their slabs again.
    pool<probe>::trim();
    pool<probe>::deallocate(pool<probe>::allocate());
    CHECK(pool<probe>::statistics().peak == s.peak);
}

TEST_CASE("statistics: JSON has every member, and a name of any letters") {
    const std::string numbers =
        R"(,"object_bytes":48,"slot_bytes":0,"live":3,"peak":1234567,"cached":0,"threads":0,"slabs":0,)"
        R"("reserved_bytes":0,"resident_bytes":5120,"returned_bytes":7168,"depot_visits":0,"contended":0})";
    const std::string plain = R"({"type":"plain")" + numbers;
    CHECK(linn::to_json(entry("plain")) == plain);
    CHECK(linn::to_json(entry("a\"b\\c\n\t\x01")) == R"({"type":"a\"b\\c\u000a\u0009\u0001")" + numbers);
    const std::string pools = R"({"schema":"linn.statistics/1","pools":[)";
    CHECK(linn::to_json(std::vector<pool_statistics>{}) == pools + "]}");
    const std::vector<pool_statistics> two{entry("plain"), entry("plain")};
    CHECK(linn::to_json(two) == pools + plain + "," + plain + "]}");
}

TEST_CASE("statistics: the table has one line a pool") {
    const std::string text = linn::to_table({entry("short"), entry("a::much<longer, type>")});
    CHECK(count_of(text, "\n") == 3);
    CHECK(text.ends_with(" a::much<longer, type>\n"));
    CHECK(text.find("1234567") != text.npos);
    CHECK(text.find(" 5K") != text.npos);
    CHECK(text.find(" 7K") != text.npos);
    CHECK(count_of(linn::to_table({}), "\n") == 1);
}

TEST_CASE("statistics: OpenMetrics has each family once, sums of equal labels, escaped names and an end") {
    pool_statistics odd = entry("a\"b\\c\nd");
    odd.slot_bytes = 64;
    pool_statistics other = entry("x");
    other.object_bytes = 49; // no sum with the two that are 48
    const std::string text = linn::to_openmetrics({entry("x"), odd, entry("x"), other});
    CHECK(count_of(text, "# TYPE ") == 11);
    CHECK(count_of(text, "# HELP ") == 11);
    CHECK(count_of(text, "\n") == 11 * 2 + 4 + 11 * 3 + 1); // four have a unit; three samples; the end
    CHECK(text.find("\nlinn_pool_live_objects{type=\"x\",object_bytes=\"48\",slot_bytes=\"0\"} 6\n") !=
          text.npos);
    CHECK(text.find("\nlinn_pool_live_objects{type=\"x\",object_bytes=\"49\",slot_bytes=\"0\"} 3\n") !=
          text.npos);
    CHECK(
        text.find(
            "\nlinn_pool_live_bytes{type=\"a\\\"b\\\\c\\nd\",object_bytes=\"48\",slot_bytes=\"64\"} 192\n") !=
        text.npos);
    CHECK(text.find(
              "\nlinn_pool_returned_bytes_total{type=\"x\",object_bytes=\"48\",slot_bytes=\"0\"} 14336\n") !=
          text.npos);
    CHECK(text.ends_with("\n# EOF\n"));
    CHECK(linn::to_openmetrics({}).ends_with("\n# EOF\n"));
}

} // namespace statistics_tests
