// SPDX-License-Identifier: Apache-2.0
// `using std::make_unique;` does not bring the other name with it.
// bytes: table 804
#include <memory>
struct table {
    double values[100]; // member 800
    int used = 0;
};
namespace declared {
using std::make_unique;
auto make() {
    return make_unique<table>(); // finds 804, fix
}
} // namespace declared
auto make() {
    using namespace std;
    return make_unique<table>(); // finds 804, fix
}
