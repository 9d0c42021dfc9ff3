// SPDX-License-Identifier: Apache-2.0
// bytes: record 1000
class record {
public:
    const char* text() const { return text_; }
    int version = 2;

private:
    char text_[1000]; // member 1000
};
record* make() {
    return new record{}; // finds 1000, fix
}
