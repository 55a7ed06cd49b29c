#pragma once

#include <QString>

namespace shardlens {

// Returns a folder of resources that come with the program: `installed` in share/shardlens of an
// installation, else `ofCheckout` relative to the checkout that contains the program's build
// folder, else in the checkout that the program was compiled from. `inside` is a folder that it
// must contain; empty: any. Returns an empty string if there is none.
QString resourceFolder(const QString& installed, const QString& ofCheckout,
                       const QString& inside = {});

}  // namespace shardlens
