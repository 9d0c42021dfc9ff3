// SPDX-License-Identifier: Apache-2.0
// Containers within containers, made by templates: what is copied into a vector allocates for itself, and the block is not
// the vector's. Of a document's strings, 840 000 were once filed under the vector of documents around them.
#include "truth.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mini {

/// A value of a document, which takes the allocator for its parts as a template.
template <class Text = std::string, template <class> class Allocator = std::allocator>
class basic_value {
public:
    using items = std::vector<basic_value, Allocator<basic_value>>;

    basic_value() = default;
    basic_value(const Text& text) : text_(create<Text>(text)) {}
    explicit basic_value(items&& all) : items_(create<items>(std::move(all))) {}
    basic_value(const basic_value& other)
        : text_(other.text_ == nullptr ? nullptr : create<Text>(*other.text_)),
          items_(other.items_ == nullptr ? nullptr : create<items>(*other.items_)) {}
    basic_value(basic_value&& other) noexcept
        : text_(std::exchange(other.text_, nullptr)),
          items_(std::exchange(other.items_, nullptr)) {}
    basic_value& operator=(const basic_value&) = delete;
    ~basic_value() {
        destroy(text_);
        destroy(items_);
    }

    std::size_t size() const { return items_ == nullptr ? 0 : items_->size(); }

private:
    template <class T, class... Arguments>
    static T* create(Arguments&&... arguments) {
        Allocator<T> allocator;
        T* const made = std::allocator_traits<Allocator<T>>::allocate(allocator, 1);
        std::allocator_traits<Allocator<T>>::construct(allocator, made,
                                                       std::forward<Arguments>(arguments)...);
        return made;
    }
    template <class T>
    static void destroy(T* made) {
        if (made == nullptr) {
            return;
        }
        Allocator<T> allocator;
        std::allocator_traits<Allocator<T>>::destroy(allocator, made);
        std::allocator_traits<Allocator<T>>::deallocate(allocator, made, 1);
    }

    Text* text_ = nullptr;
    items* items_ = nullptr;
};

using value = basic_value<>;

/// Builds values; a class template over them, as parsers are.
template <class Value>
class reader {
public:
    explicit reader(const std::string& word) : word_(word) {}

    Value read(std::size_t count) const {
        typename Value::items all;
        all.reserve(count);
        for (std::size_t i = 0; i < count; ++i) {
            all.emplace_back(word_);
        }
        return Value(std::move(all));
    }

private:
    std::string word_;
};

} // namespace mini

namespace {

using sample::truth;

constexpr const char* word = "a text that is longer than the string itself";
constexpr const char* value_name = "mini::basic_value<std::string, std::allocator>";
constexpr const char* items_name = "std::vector<mini::basic_value<std::string, std::allocator>>";

void read_documents(std::size_t n) {
    constexpr std::size_t items = 8;
    const std::string text = word;
    truth::expect("char", "std::string", 2);
    const mini::reader<mini::value> reader(text);
    for (std::size_t i = 0; i < n; ++i) {
        const mini::value document = reader.read(items);
        const mini::value copy = document;
        sample::keep(copy);
    }
    truth::expect("std::string", "", 2 * n * items);
    truth::expect("char", "std::string", 2 * n * items);
    truth::expect(value_name, items_name, 2 * n);
    truth::expect(items_name, "", 2 * n);
}

/// Copies of containers of containers.
void copy_nested(std::size_t n) {
    const std::vector<std::string> words(4, word);
    const std::map<int, std::set<long>> numbers{{1, {1, 2, 3}}, {2, {4, 5}}};
    const std::vector<std::vector<short>> rows(3, std::vector<short>(5));
    truth::expect("char", "std::string", 4);
    for (std::size_t i = 0; i < n; ++i) {
        auto words_copy = words;
        auto numbers_copy = numbers;
        auto rows_copy = rows;
        sample::keep(words_copy);
        sample::keep(numbers_copy);
        sample::keep(rows_copy);
    }
    truth::expect("std::string", "std::vector<std::string>", n);
    truth::expect("char", "std::string", 4 * n);
    truth::expect("std::pair<const int, std::set<long>>", "std::map<int, std::set<long>>", 2 * n);
    truth::expect("long", "std::set<long>", 5 * n);
    truth::expect("std::vector<short>", "std::vector<std::vector<short>>", n);
    truth::expect("short", "std::vector<short>", 3 * n);
}

/// Strings of wide letters, and strings as keys.
void count_words(std::size_t n) {
    std::unordered_map<std::string, int> counts;
    for (std::size_t i = 0; i < n; ++i) {
        const std::wstring wide(20 + i % 30, L'w');
        sample::keep(wide);
        ++counts[word + std::to_string(i)];
    }
    truth::expect("wchar_t", "std::wstring", n);
    truth::expect("std::pair<const std::string, int>", "std::unordered_map<std::string, int>", n);
}

} // namespace

int main() {
    read_documents(200);
    copy_nested(200);
    count_words(300);
    return truth::write();
}
