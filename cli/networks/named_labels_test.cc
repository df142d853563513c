#include "cli/networks/named_labels.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/io/file.h"

namespace tally::cli {
namespace {

using Labels = std::vector<std::string>;
using Places = std::vector<int64_t>;

std::string Written(const std::string& text) {
  const std::string path = testing::TempDir() + "/labels.csv";
  EXPECT_TRUE(WriteFileAtomically(path, AsBytes(text)).ok());
  return path;
}

TEST(NamedLabels, AreTheFoldersOfSamples) {
  EXPECT_EQ(LabelsOfFolders({"photos/cat/1.png", "photos/dog/1.png"}), (Labels{"cat", "dog"}));
}

TEST(NamedLabels, AreLinesOfACsvFile) {
  const Labels files = {"photos/b.png", "photos/sub/a.png", "photos/c.png"};
  const Labels right = {"dog", "cat, domestic", "a \"fish\""};
  EXPECT_EQ(*LabelsOfCsv(
                Written("file,label\na.png,\"cat, domestic\"\r\nb.png,dog\nphotos/c.png,\"a \"\"fish\"\"\"\n"
                        "other.png,bird\n"),
                files),
            right);
  EXPECT_EQ(*LabelsOfCsv(Written("dog\ncat\nfish"), files), (Labels{"dog", "cat", "fish"}));
}

// A name that ends another is not it.
TEST(NamedLabels, EndsOfPathsAreWholeNames) {
  EXPECT_EQ(*LabelsOfCsv(Written("a.png,cat\naa.png,dog\n"), {"x/aa.png"}), (Labels{"dog"}));
  EXPECT_EQ(ErrorLabel(LabelsOfCsv(Written("a.png,cat\n"), {"x/aa.png"}).status()), "labels_text");
}

TEST(NamedLabels, RefusesCsvFilesThatLackSamples) {
  const auto label = [](const std::string& text, const Labels& files) {
    return ErrorLabel(LabelsOfCsv(Written(text), files).status());
  };
  EXPECT_EQ(label("a.png,cat\n", {"b.png"}), "labels_text");
  EXPECT_EQ(label("cat\n", {"a.png", "b.png"}), "labels_text");
  EXPECT_EQ(label("", {"a.png"}), "labels_text");
  EXPECT_EQ(label("a.png,cat\n", {""}), "labels_text");
}

TEST(NamedLabels, HaveThePlacesOfTheirNames) {
  EXPECT_EQ(*PlacesOf({"dog", "cat", "dog"}, {"cat", "dog", "fish"}, 3), (Places{1, 0, 1}));
  EXPECT_EQ(*PlacesOf({"2", "0"}, {}, 3), (Places{2, 0}));
  EXPECT_EQ(*PlacesOf({"2", "cat"}, {"cat", "dog"}, 3), (Places{2, 0}));
  // A number that is a name is that name.
  EXPECT_EQ(*PlacesOf({"7", "5"}, {"5", "6", "7"}, 3), (Places{2, 0}));
  // Folders of all classes are numbered by their names.
  EXPECT_EQ(*PlacesOf({"fish", "cat", "dog", "cat"}, {}, 3), (Places{2, 0, 1, 0}));
}

TEST(NamedLabels, RefusesWhatIsNoElementOfARow) {
  EXPECT_EQ(ErrorLabel(PlacesOf({"cat"}, {"dog"}, 2).status()), "labels_text");
  EXPECT_EQ(ErrorLabel(PlacesOf({"cat", "dog"}, {}, 3).status()), "labels_text");
  EXPECT_EQ(ErrorLabel(PlacesOf({"3"}, {}, 3).status()), "samples_range");
  EXPECT_EQ(ErrorLabel(PlacesOf({"-1"}, {}, 3).status()), "samples_range");
  EXPECT_EQ(ErrorLabel(PlacesOf({"cat"}, {"dog", "bird", "cat"}, 2).status()), "samples_range");
  EXPECT_EQ(ErrorLabel(PlacesOf({"99999999999999999999"}, {}, 3).status()), "labels_text");
}

}  // namespace
}  // namespace tally::cli
