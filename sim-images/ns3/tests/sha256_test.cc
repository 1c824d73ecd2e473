// SPDX-License-Identifier: GPL-2.0-only
#include "base/sha256.h"

#include <gtest/gtest.h>

using namespace windtunnel;

// FIPS 180-4's example messages, and one block boundary on each side.
TEST(Sha256, AgreesWithThePublishedExamples)
{
    EXPECT_EQ(ToHex(Sha256::Of("abc")),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(ToHex(Sha256::Of("")),
              "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(ToHex(Sha256::Of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(ToHex(Sha256::Of(std::string(1'000'000, 'a'))),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnHowTheMessageIsCut)
{
    for (const size_t length : {55, 56, 63, 64, 65, 119, 120, 128})
    {
        const std::string message(length, 'x');
        for (size_t cut = 0; cut <= length; cut += 7)
        {
            Sha256 pieces;
            pieces.Update(message.substr(0, cut));
            pieces.Update(message.substr(cut));
            EXPECT_EQ(pieces.Finish(), Sha256::Of(message)) << length << " bytes cut at " << cut;
        }
    }
}
