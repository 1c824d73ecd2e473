// SPDX-License-Identifier: GPL-2.0-only
#include "describe/describe.h"
#include "experiment.h"
#include "spec/spec_error.h"

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string_view>

namespace
{

constexpr int USAGE_ERROR = 2;

/**
 * glibc picks FMA variants of exp, log and pow by the processor, and they round differently: without
 * this, two hosts could disagree in the last bit of a window and then in everything.
 */
void
PinMathLibrary(char** argv)
{
    static constexpr const char* PIN = "glibc.cpu.hwcaps=-FMA,-FMA4";
    const char* tunables = std::getenv("GLIBC_TUNABLES");
    if (tunables == nullptr || std::string_view(tunables) != PIN)
    {
        setenv("GLIBC_TUNABLES", PIN, 1);
        execv("/proc/self/exe", argv);
        std::cerr << "could not execute itself again; results may differ between processors\n";
    }
}

int
RunFromInput()
{
    const auto document = nlohmann::json::parse(std::cin);
    const auto spec = windtunnel::RunSpec::FromJson(document);
    windtunnel::RecordStream records(std::cout);
    windtunnel::Experiment experiment(spec);
    experiment.Run(records);
    return EXIT_SUCCESS;
}

} // namespace

int
main(int argc, char** argv)
{
    PinMathLibrary(argv);
    if (argc == 2 && std::string_view(argv[1]) == "describe")
    {
        std::cout << windtunnel::Describe().dump() << '\n';
        return EXIT_SUCCESS;
    }
    if (argc != 1)
    {
        std::cerr << "usage: " << argv[0] << " [describe], with a run spec as JSON on stdin\n";
        return USAGE_ERROR;
    }
    try
    {
        return RunFromInput();
    }
    catch (const nlohmann::json::exception& error)
    {
        std::cerr << "the run spec is not JSON: " << error.what() << '\n';
    }
    catch (const windtunnel::SpecError& error)
    {
        std::cerr << error.what() << '\n';
    }
    return USAGE_ERROR;
}
