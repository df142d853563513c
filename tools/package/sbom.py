"""SPDX 2.3: our packages with their files, Debian's libraries that are linked into them, and those that they depend on."""

import json
import re

from files import output


def entry(spdx_id, name, version, **more):
    return {"SPDXID": spdx_id, "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION", "licenseConcluded": "NOASSERTION",
            "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION", "filesAnalyzed": False} | more


def id_of(debian):
    return "SPDXRef-" + debian.replace("+", ".")


def installed_version(debian):
    return output("dpkg-query", "-W", "-f=${Version}", debian)


def document(contents, version, time):
    """contents: by package and architecture, {path: sha256}, what it depends on, and what is linked into it."""
    packages, files, relations, depended, linked_in = [], [], [], {}, set()
    for (name, architecture), (paths, depends, linked) in sorted(contents.items()):
        ours = f"SPDXRef-{name}-{architecture}"
        packages.append(entry(ours, name, version, licenseConcluded="Apache-2.0", licenseDeclared="Apache-2.0"))
        relations.append(("SPDXRef-DOCUMENT", "DESCRIBES", ours))
        for number, (path, digest) in enumerate(sorted(paths.items())):
            file = f"{ours}-{number}"
            files.append({"SPDXID": file, "fileName": path, "checksums": [{"algorithm": "SHA256", "checksumValue": digest}],
                          "licenseConcluded": "Apache-2.0", "copyrightText": "NOASSERTION"})
            relations.append((ours, "CONTAINS", file))
        relations += [(ours, "STATIC_LINK", id_of(library)) for library in linked]
        linked_in |= set(linked)
        for other, wanted in re.findall(r"([a-z0-9.+-]+)(?: \(([^)]*)\))?", depends):
            if any(other == known for known, _ in contents):
                relations.append((ours, "DEPENDS_ON", f"SPDXRef-{other}-{architecture}"))
            else:
                depended[other] = wanted
                relations.append((ours, "DEPENDS_ON", id_of(other)))
    packages += [entry(id_of(other), other, installed_version(other), supplier="Organization: Debian") for other in sorted(linked_in)]
    packages += [entry(id_of(other), other, wanted or "any", supplier="Organization: Debian") for other, wanted in sorted(depended.items())]
    created = output("date", "-u", "-d", f"@{time}", "+%Y-%m-%dT%H:%M:%SZ")
    return json.dumps({"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"tally-{version}",
                       "documentNamespace": f"urn:tally:sbom:{version}:{time}",
                       "creationInfo": {"created": created, "creators": ["Tool: tools/package/sbom.py"]},
                       "packages": packages, "files": files,
                       "relationships": [{"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": two}
                                         for one, kind, two in relations]}, indent=1) + "\n"
