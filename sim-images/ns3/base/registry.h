// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace windtunnel
{

/** What registrations add before main() begins. An @p Entry has a unique `name`. */
template <typename Entry>
class Registry
{
  public:
    static void Add(Entry entry)
    {
        Entries().push_back(std::move(entry));
    }

    /** All of them, by name: in which order object files were linked does not matter. */
    static const std::vector<Entry>& All()
    {
        static const std::vector<Entry> sorted = [] {
            std::vector<Entry> entries = Entries();
            std::ranges::sort(entries, {}, &Entry::name);
            return entries;
        }();
        return sorted;
    }

  private:
    static std::vector<Entry>& Entries()
    {
        static std::vector<Entry> entries;
        return entries;
    }
};

} // namespace windtunnel
