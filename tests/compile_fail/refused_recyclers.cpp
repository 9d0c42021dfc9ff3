// SPDX-License-Identifier: Apache-2.0
// A type that a recycler cannot keep is refused in one sentence, which comes first. It was 128 to 320 lines of Clang, or 24 to 97
// of GCC, that began in the standard library.
// LINES: 85
// CASE acquired_incomplete: error: .*linn: the type of a pool must be complete where the pool is used: include the header
// CASE made_incomplete: error: .*linn: the type of a pool must be complete where the pool is used: include the header
// CASE abstract: error: .*linn: an abstract class has no objects of its own: take a derived class
// CASE abstract_options: error: .*linn: an abstract class has no objects of its own: take a derived class
// CASE reference: error: .*linn::recycler keeps objects: its type must not be a reference, void, an array or const
// CASE nothing: error: .*linn::recycler keeps objects: its type must not be a reference, void, an array or const
// CASE constant: error: .*linn::recycler keeps objects: its type must not be a reference, void, an array or const
// CASE numbered: error: .*(no matching|constraints not satisfied)
#include <linn/recycler.hpp>

struct declared;
struct node;
struct shape {
    virtual void draw() = 0;
};

struct numbered { // there must be a function that makes them
    explicit numbered(int n) : number{n} {}
    int number;
};

void use([[maybe_unused]] linn::recycler<declared>& known) { // to name it is fine
#if defined(LINN_CASE_acquired_incomplete)
    static_cast<void>(known.acquire());
#elif defined(LINN_CASE_made_incomplete)
    linn::recycler<declared> all{10};
#elif defined(LINN_CASE_abstract)
    linn::recycler<shape> all{10};
    static_cast<void>(all.acquire());
#elif defined(LINN_CASE_abstract_options)
    linn::recycler_options<shape> options;
#elif defined(LINN_CASE_reference)
    linn::recycler<int&> all{10};
#elif defined(LINN_CASE_nothing)
    linn::recycler<void> all{10};
#elif defined(LINN_CASE_constant)
    linn::recycler<const int> all{10};
#elif defined(LINN_CASE_numbered)
    linn::recycler<numbered> all{100};
#endif
    linn::recycler<numbered> made{{.create = [] { return numbered{1}; }}};
    linn::recycler_options<node> options;
    static_cast<void>(options);
}

struct node {
    linn::recycler<node>* home;
};
void use_later() {
    linn::recycler<node> all{10};
    static_cast<void>(all.acquire());
}
