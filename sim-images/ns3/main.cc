// SPDX-License-Identifier: GPL-2.0-only
#include "describe/describe.h"
#include "experiment.h"
#include "base/spec_error.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
#ifdef WINDTUNNEL_UNPINNED // the tests' control: what happens without
    return;
#endif
    static constexpr const char* PIN = "glibc.cpu.hwcaps=-FMA,-FMA4";
    const char* tunables = std::getenv("GLIBC_TUNABLES");
    if (tunables == nullptr || std::string_view(tunables) != PIN)
    {
        setenv("GLIBC_TUNABLES", PIN, 1);
        execv("/proc/self/exe", argv);
        std::cerr << "could not execute itself again to pin the math library (" << std::strerror(errno)
                  << "); without, results would depend on the processor\n";
        std::exit(EXIT_FAILURE);
    }
}

/** What the command line asks for besides the run on stdin. */
struct Arguments
{
    bool describe{false};
    std::string capturePort{}; ///< empty: none
    std::string captureFile{};
};

std::optional<Arguments>
Read(int argc, char** argv)
{
    const std::vector<std::string> given(argv + 1, argv + argc);
    if (given.empty())
    {
        return Arguments{};
    }
    if (given == std::vector<std::string>{"describe"})
    {
        return Arguments{.describe = true};
    }
    if (given.size() == 3 && given[0] == "--pcap")
    {
        return Arguments{.capturePort = given[1], .captureFile = given[2]};
    }
    return std::nullopt;
}

int
RunFromInput(const Arguments& arguments)
{
    const auto document = nlohmann::json::parse(std::cin);
    const auto spec = windtunnel::RunSpec::FromJson(document);
    windtunnel::RecordStream records(std::cout);
    windtunnel::Experiment experiment(spec);
    if (!arguments.capturePort.empty())
    {
        experiment.Capture(arguments.capturePort, arguments.captureFile);
    }
    experiment.Run(records);
    return EXIT_SUCCESS;
}

} // namespace

int
main(int argc, char** argv)
{
    PinMathLibrary(argv);
    const auto arguments = Read(argc, argv);
    if (!arguments)
    {
        std::cerr << "usage: " << argv[0]
                  << " [describe | --pcap PORT FILE], with a run spec as JSON on stdin\n";
        return USAGE_ERROR;
    }
    if (arguments->describe)
    {
        std::cout << windtunnel::Describe().dump() << '\n';
        return EXIT_SUCCESS;
    }
    try
    {
        return RunFromInput(*arguments);
    }
    catch (const nlohmann::json::exception& error)
    {
        std::cerr << "the run spec is not JSON: " << error.what() << '\n';
    }
    catch (const windtunnel::SpecError& error)
    {
        std::cerr << error.what() << '\n';
    }
    catch (const std::exception& error) // in the middle of a run
    {
        std::cerr << error.what() << '\n';
        return EXIT_FAILURE;
    }
    return USAGE_ERROR;
}
