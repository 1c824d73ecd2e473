// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <stdexcept>

namespace windtunnel
{

/** A run spec that this simulator can't run; the message names the field and what would be right. */
class SpecError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

} // namespace windtunnel
