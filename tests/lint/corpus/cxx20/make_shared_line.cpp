// SPDX-License-Identifier: Apache-2.0
// The case that cost a database 8 MiB of memset a read.
// bytes: line 8388612
#include <atomic>
#include <memory>
#include <mutex>
struct line {
    char data[8 << 20]; // member 8388608
    std::mutex lock;
    std::atomic<int> users = 0;
};
std::shared_ptr<line> make() {
    return std::make_shared<line>(); // finds 8388612, fix
}
