# SPDX-License-Identifier: Apache-2.0
"""Bazel: its formatter and linter accept our files, and a consumer is built and run.

The Bazel that npm has, 2.1, is older than modules and gets its rules from the network. So rules_cc and rules_java are stubs here
that pass on to the built-in rules, and a WORKSPACE names the repositories. MODULE.bazel is checked as text.
"""
import shutil

import package

RULES = {
    "rules_cc/cc": "cc_library cc_binary cc_test cc_import cc_toolchain cc_toolchain_suite cc_proto_library fdo_prefetch_hints "
                   "fdo_profile objc_library objc_import",
    "rules_java/java": "java_binary java_import java_library java_lite_proto_library java_proto_library java_test "
                       "java_package_configuration java_plugin java_runtime java_toolchain",
}


def main():
    work, compiler = package.start()
    modules = package.TOOLS / "bazel/node_modules/@bazel"
    if not modules.exists():
        package.skip("bazel and buildifier are not installed")
    buildifier = modules / "buildifier/buildifier-linux_amd64"
    for name in ("BUILD.bazel", "MODULE.bazel"):
        package.run(buildifier, "-mode=check", "-lint=warn", package.ROOT / name)

    for rules, names in RULES.items():
        repository, folder = rules.split("/")
        package.write(work / repository / "WORKSPACE", "")
        package.write(work / rules / "BUILD", "")
        package.write(work / repository / folder / "defs.bzl",
                      "".join(f'{name} = getattr(native, "{name}", None)\n' for name in names.split()))
    for folder in ("include", "src"):
        shutil.copytree(package.ROOT / folder, work / "linn" / folder)
    shutil.copy(package.ROOT / "BUILD.bazel", work / "linn")
    shutil.copy(package.ROOT / "LICENSE", work / "linn")
    package.write(work / "linn/WORKSPACE", "")
    user = work / "user"
    package.write(user / "WORKSPACE", "".join(f'local_repository(name = "{name}", path = "../{name}")\n'
                                              for name in ("rules_cc", "rules_java", "linn")))
    shutil.copy(package.ROOT / "tests/package/bazel/consumer.BUILD", user / "BUILD.bazel")
    shutil.copy(package.CONSUMER, user)
    bazel = modules / "bazel-linux_x64/bazel-2.1.0-linux-x86_64"
    command = [bazel, f"--output_user_root={work / 'out'}", "--batch", "build", "--cxxopt=-std=c++20", "//:consumer"]
    env = {"CC": compiler.replace("clang++", "clang").replace("g++", "gcc")}
    package.run(*command, cwd=user, env=env)
    package.run_consumer(user / "bazel-bin/consumer")
    build = (user / "BUILD.bazel").read_text(encoding="utf-8")
    package.write(user / "BUILD.bazel", build.replace('"@linn"', '"@linn//:linn_compiled"'))
    package.run(*command, cwd=user, env=env)
    package.run_consumer(user / "bazel-bin/consumer")


main()
