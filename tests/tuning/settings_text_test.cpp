// SPDX-License-Identifier: BSD-3-Clause
/// \file  The text of the tuning file.
#include "tuning/settings_text.hpp"

#include <gtest/gtest.h>

#include "support/mpi_test.hpp"

namespace seiche {
namespace {

using Cases = std::map<std::string, Settings>;

TEST(SettingsText, IsJson) {
  EXPECT_EQ(text_of({{"a", {}}, {"b", {{"c", "1"}, {"d", "\"\\\""}}}}),
            "{\n \"a\": {},\n \"b\": {\n  \"c\": \"1\",\n  \"d\": \"\\\"\\\\\\\"\"\n }\n}\n");
  EXPECT_EQ(text_of({}), "{}\n");
  testing::compared();
}

TEST(SettingsText, IsReadBack) {
  for (const Cases& cases : {Cases{}, Cases{{"", {}}}, Cases{{"a", {}}, {"b", {{"c", "1"}, {"", "\"\\ \n"}}}},
                             Cases{{"\u00e4", {{"{", "}"}}}}}) {
    const auto found = cases_of(text_of(cases));
    ASSERT_TRUE(found.has_value());
    if (cases.contains("b")) {
      EXPECT_EQ(found->at("b").at(""), "\"\\ \\x0a");  // what is not printable is replaced
    } else {
      EXPECT_EQ(*found, cases);
    }
  }
  EXPECT_EQ(cases_of("\t{ \"a\" :\r\n{\"b\":\"c\"} } \n"), (Cases{{"a", {{"b", "c"}}}}));
  testing::compared();
}

TEST(SettingsText, RefusesAnythingElse) {
  const std::string good = R"({"a": {"b": "c"}})";
  for (std::size_t i = 0; i < good.size(); ++i) EXPECT_FALSE(cases_of(good.substr(0, i)).has_value()) << i;
  for (const char* bad : {"", "[]", "3", R"({"a": 3})", R"({"a": {"b": 3}})", R"({"a": {"b": "c"},})",
                          R"({"a": {"b": "\n"}})", "{} {}", R"({"a": {"b": {"c": "d"}}})", R"({"a" {}})"}) {
    EXPECT_FALSE(cases_of(bad).has_value()) << bad;
  }
  testing::compared();
}

}  // namespace
}  // namespace seiche
