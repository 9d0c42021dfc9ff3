// SPDX-License-Identifier: Apache-2.0
// bytes: frame 640
#include <memory>
struct frame {
    char pixels[640]; // member 640
    int number = -1;
};
void again(std::unique_ptr<frame>& to) {
    to.reset(new frame()); // finds 640, fix
}
