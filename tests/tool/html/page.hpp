// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <doctest/doctest.h>

#include <sstream>
#include <string>

// What tests ask of a page that was written.
namespace linn::tool::test {

inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

inline std::size_t count(const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++n;
    }
    return n;
}

/// True when an XML parser reads the text to its end.
inline bool is_well_formed(const std::string& page) {
    std::istringstream stream{page};
    boost::property_tree::ptree tree;
    try {
        boost::property_tree::read_xml(stream, tree);
    } catch (const boost::property_tree::xml_parser_error& e) {
        MESSAGE(e.what());
        return false;
    }
    return true;
}

} // namespace linn::tool::test
