// SPDX-License-Identifier: Apache-2.0
// The CSV of the tool is read by spreadsheets and by scripts; what each of them stumbles over is quoted or kept out. The columns of a
// command: csv_of() in cases.py.
#include "report/render/render.hpp"

#include <doctest/doctest.h>

#include <clocale>
#include <cmath>
#include <limits>
#include <string>

namespace linn::tool::csv_tests {

using report::csv_line;

TEST_CASE("fields with commas, quotes, line ends or spaces at an end are quoted, others are not") {
    CHECK(csv_line({"plain", "two words"}) == "plain,two words\r\n");
    CHECK(csv_line({"a,b", "say \"hi\"", "line\nend", " led", "carriage\rreturn"}) ==
          "\"a,b\",\"say \"\"hi\"\"\",\"line\nend\",\" led\",\"carriage\rreturn\"\r\n");
    CHECK(csv_line({"", nullptr, NAN}) == ",,\r\n");
    CHECK(csv_line({"\"", ",", "\r\n"}) == "\"\"\"\",\",\",\"'\r\n\"\r\n");
}

TEST_CASE("text that a spreadsheet would run as a formula is made text") {
    CHECK(csv_line({"=1+1", "+x", "-x", "@SUM(A1)", "\tx", "a=b"}) == "'=1+1,'+x,'-x,'@SUM(A1),'\tx,a=b\r\n");
    CHECK(csv_line({"=HYPERLINK(\"x\",\"y\")"}) == "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\"\r\n");
    CHECK(csv_line({-1.5}) == "-1.5\r\n"); // a number is no formula
}

TEST_CASE("numbers keep every digit and their point in any locale") {
    const std::string before = std::setlocale(LC_ALL, nullptr);
    // Not every machine has one with a decimal comma; where it has, this is what breaks printf.
    for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"}) {
        if (std::setlocale(LC_ALL, name) != nullptr) {
            break;
        }
    }
    CHECK(csv_line({0.1, 1e6, 1234567.25, std::uint64_t{12345678901}, 7U, true, false}) ==
          "0.1,1000000,1234567.25,12345678901,7,true,false\r\n");
    CHECK(csv_line({1.0 / 3, 2.5}) == "0.3333333333333333,2.5\r\n");
    CHECK(csv_line({std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) ==
          ",\r\n");
    std::setlocale(LC_ALL, before.c_str());
}

} // namespace linn::tool::csv_tests
