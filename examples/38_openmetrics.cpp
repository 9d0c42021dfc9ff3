// SPDX-License-Identifier: Apache-2.0
// The numbers of every pool for Prometheus, as the answer to GET /metrics.
#include <linn/pool.hpp>
#include <linn/statistics.hpp>

#include <cstdio>
#include <string>

struct order {
    long id;
    double price;
};

// [answer]
std::string answer_to_scrape() {
    const std::string body = linn::to_openmetrics(linn::statistics());
    return "HTTP/1.1 200 OK\r\nContent-Type: " + std::string{linn::openmetrics_content_type} +
           "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}
// [/answer]

int main() {
    order* a = linn::pool<order>::create(1, 99.5);
    order* b = linn::pool<order>::create(2, 98.0);

    const std::string answer = answer_to_scrape(); // its memory samples depend on the machine
    const std::size_t first = answer.find("# TYPE");
    std::printf("%s", answer.substr(first, answer.find("# TYPE", first + 1) - first).c_str());

    linn::pool<order>::destroy(a);
    linn::pool<order>::destroy(b);
}
