#include "core/handbook/markdown.h"

#include "core/base/check.h"

#include <md4c.h>

#include <algorithm>
#include <cctype>
#include <unordered_map>

namespace shardlens {
namespace {

// Returns the anchor that GitHub gives to a heading: lower case, spaces as hyphens, no punctuation.
std::string anchorOf(std::string_view title) {
  std::string anchor;
  for (const char letter : title) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == ' ') {
      anchor += '-';
    } else if (std::isalnum(code) != 0 || letter == '-' || letter == '_' || code >= 0x80U) {
      anchor += static_cast<char>(std::tolower(code));
    }
  }
  return anchor;
}

std::string textOf(const MD_ATTRIBUTE& attribute) { return {attribute.text, attribute.size}; }

// Builds a page from the callbacks of md4c.
class PageWriter {
 public:
  explicit PageWriter(const LinkTarget& linkTarget) : linkTarget_(linkTarget) {}

  void enter(MD_BLOCKTYPE type, const void* detail) {
    if (type == MD_BLOCK_H) {
      const int level = static_cast<int>(static_cast<const MD_BLOCK_H_DETAIL*>(detail)->level);
      page_.sections.emplace_back().level = level;
      inHeading_ = true;
      heading_.clear();
    } else if (type == MD_BLOCK_CODE) {
      const auto language = textOf(static_cast<const MD_BLOCK_CODE_DETAIL*>(detail)->lang);
      page_.html += language.empty()
                        ? "<pre><code>"
                        : "<pre><code class=\"language-" + escapedHtml(language) + "\">";
    } else if (type == MD_BLOCK_OL) {
      const auto start = static_cast<const MD_BLOCK_OL_DETAIL*>(detail)->start;
      page_.html += start == 1 ? "<ol>\n" : "<ol start=\"" + std::to_string(start) + "\">\n";
    } else if (const auto* tag = tagOf(type)) {
      page_.html += std::string("<") + tag + ">";
    }
  }

  void leave(MD_BLOCKTYPE type) {
    endLine();
    if (type == MD_BLOCK_H) {
      inHeading_ = false;
      endHeading();
    } else if (type == MD_BLOCK_CODE) {
      page_.html += "</code></pre>\n";
    } else if (type == MD_BLOCK_OL) {
      page_.html += "</ol>\n";
    } else if (const auto* tag = tagOf(type); tag != nullptr && type != MD_BLOCK_HR) {
      page_.html += std::string("</") + tag + ">\n";
    }
  }

  void enter(MD_SPANTYPE type, const void* detail) {
    if (type == MD_SPAN_A) {
      const auto target = linkTarget_(textOf(static_cast<const MD_SPAN_A_DETAIL*>(detail)->href));
      if (target) write("<a href=\"" + escapedHtml(*target) + "\">");
      openLinks_.push_back(target.has_value());
    } else if (type == MD_SPAN_IMG) {
      picture_ = linkTarget_(textOf(static_cast<const MD_SPAN_IMG_DETAIL*>(detail)->src));
      inPicture_ = true;
      alternative_.clear();
    } else if (const auto* tag = tagOf(type)) {
      write(std::string("<") + tag + ">");
    }
  }

  void leave(MD_SPANTYPE type) {
    if (type == MD_SPAN_A) {
      if (openLinks_.back()) write("</a>");
      openLinks_.pop_back();
    } else if (type == MD_SPAN_IMG) {
      inPicture_ = false;
      const auto alternative = escapedHtml(alternative_);
      write(picture_ ? "<img src=\"" + escapedHtml(*picture_) + "\" alt=\"" + alternative + "\">"
                     : alternative);
    } else if (const auto* tag = tagOf(type)) {
      write(std::string("</") + tag + ">");
    }
  }

  void add(MD_TEXTTYPE type, std::string_view text) {
    if (type == MD_TEXT_BR) write("<br>");
    if (type == MD_TEXT_SOFTBR || type == MD_TEXT_BR) text = "\n";
    if (inPicture_) {
      alternative_ += text;
      return;
    }
    plain(text);
    write(type == MD_TEXT_ENTITY ? std::string(text) : escapedHtml(text));
  }

  MarkdownPage take() { return std::move(page_); }

 private:
  static const char* tagOf(MD_BLOCKTYPE type) {
    switch (type) {
      case MD_BLOCK_QUOTE:
        return "blockquote";
      case MD_BLOCK_UL:
        return "ul";
      case MD_BLOCK_LI:
        return "li";
      case MD_BLOCK_HR:
        return "hr";
      case MD_BLOCK_P:
        return "p";
      case MD_BLOCK_TABLE:
        return "table";
      case MD_BLOCK_THEAD:
        return "thead";
      case MD_BLOCK_TBODY:
        return "tbody";
      case MD_BLOCK_TR:
        return "tr";
      case MD_BLOCK_TH:
        return "th";
      case MD_BLOCK_TD:
        return "td";
      default:
        return nullptr;
    }
  }

  static const char* tagOf(MD_SPANTYPE type) {
    switch (type) {
      case MD_SPAN_EM:
        return "em";
      case MD_SPAN_STRONG:
        return "strong";
      case MD_SPAN_CODE:
        return "code";
      case MD_SPAN_DEL:
        return "del";
      default:
        return nullptr;
    }
  }

  // Appends HTML to the page. In a heading, endHeading() does so, because the title determines the
  // anchor that is written first. The alternative text of a picture has no markup.
  void write(const std::string& html) {
    if (!inPicture_) (inHeading_ ? heading_ : page_.html) += html;
  }

  // Appends to the plain text of the section.
  void plain(std::string_view text) {
    if (page_.sections.empty()) return;
    (inHeading_ ? page_.sections.back().title : page_.sections.back().text) += text;
  }

  void endLine() {
    if (inHeading_ || page_.sections.empty()) return;
    auto& text = page_.sections.back().text;
    if (!text.empty() && text.back() != '\n') text += '\n';
  }

  void endHeading() {
    auto& section = page_.sections.back();
    section.anchor = anchorOf(section.title);
    if (const int count = anchors_[section.anchor]++; count > 0) {
      section.anchor += "-" + std::to_string(count);
    }
    const auto level = std::to_string(section.level);
    const auto anchor = escapedHtml(section.anchor);
    page_.html += "<h" + level + " id=\"" + anchor + "\"><a name=\"" + anchor + "\"></a>" +
                  heading_ + "</h" + level + ">\n";
  }

  const LinkTarget& linkTarget_;
  MarkdownPage page_;
  bool inHeading_ = false;
  std::string heading_;  // HTML of the heading so far
  std::unordered_map<std::string, int> anchors_;
  std::vector<bool> openLinks_;  // nested links: whether their tag was written
  bool inPicture_ = false;
  std::string alternative_;
  std::optional<std::string> picture_;
};

PageWriter& writerOf(void* user) { return *static_cast<PageWriter*>(user); }

}  // namespace

std::string escapedHtml(std::string_view text) {
  std::string html;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      default:
        html += letter;
    }
  }
  return html;
}

MarkdownPage readMarkdown(std::string_view markdown, const LinkTarget& linkTarget) {
  PageWriter writer(linkTarget);
  MD_PARSER parser{};
  parser.flags = MD_DIALECT_GITHUB | MD_FLAG_NOHTML;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* user) {
    writerOf(user).enter(type, detail);
    return 0;
  };
  parser.leave_block = [](MD_BLOCKTYPE type, void*, void* user) {
    writerOf(user).leave(type);
    return 0;
  };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* user) {
    writerOf(user).enter(type, detail);
    return 0;
  };
  parser.leave_span = [](MD_SPANTYPE type, void*, void* user) {
    writerOf(user).leave(type);
    return 0;
  };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* user) {
    writerOf(user).add(type, {text, size});
    return 0;
  };
  const int failed =
      md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, &writer);
  SL_CHECK(failed == 0, "md4c could not allocate memory");
  return writer.take();
}

}  // namespace shardlens
