"""The description of a dataset: a data package, the meaning of its columns, a README."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import amoebot
from amoebot.sweeps.manifest import Manifest
from amoebot.sweeps.schema import Schema

#: The types of Frictionless tables, by those of the columns.
TYPES = {"String": "string", "Boolean": "boolean", "Float64": "number", "Int64": "integer"}

#: The files that describe a dataset.
DESCRIPTIONS = ("datapackage.json", "schema.json", "README.md")

README = """# {elections:,} leader elections in the amoebot model

Made with amoebot {version} (sources: SHA-256 `{sources}`), on {date}.

- `elections/` is the dataset: Parquet files, one row an election. What made each is in its
  metadata.
- `datapackage.json` describes them as a [Frictionless data
  package](https://specs.frictionlessdata.io), and `schema.json` their columns.
- `sweep.json` is the plan: every input of every election, with the text of changed rules, and of
  schedulers and measurements that were given as files.
- `shapes/`, if it is there, has the shape files of the plan, each under the digest of its content.
- `manifest.json` has the SHA-256 of each file. `amoebot report` on this folder checks all of them.

The same version of amoebot gives the same rows on any machine, but for `seconds`.

| column | type | |
|---|---|---|
{columns}
"""


def descriptions(
    kept: Manifest,
    schema: Schema,
    words: Mapping[str, str],
    provenance: Mapping[str, str],
    rows: int,
) -> dict[str, bytes]:
    """Return the content of the files that describe a dataset, by name.

    Args:
        kept: The files of the dataset.
        schema: Its columns.
        words: What each column means.
        provenance: What made it.
        rows: How many elections it has.
    """
    fields = [
        {
            "name": name,
            "type": TYPES.get(str(kind), "array"),
            "description": words[name],
        }
        for name, kind in schema.items()
    ]
    package = {
        "profile": "data-package",
        "name": _slug(kept.folder.resolve().name),
        "title": "Leader elections in the amoebot model",
        "created": provenance["date"],
        "version": amoebot.__version__,
        "sources": [{"title": f"amoebot {amoebot.__version__}", "path": "sweep.json"}],
        "resources": [*_resources(kept)],
        "provenance": dict(provenance),
    }
    columns = "\n".join(
        f"| `{field['name']}` | {field['type']} | {field['description']} |" for field in fields
    )
    readme = README.format(
        elections=rows,
        version=amoebot.__version__,
        sources=provenance["amoebot-sources-sha256"],
        date=provenance["date"][:10],
        columns=columns,
    )
    return {
        "datapackage.json": _json(package),
        "schema.json": _json({"fields": fields, "missingValues": [""]}),
        "README.md": readme.encode(),
    }


def _resources(kept: Manifest) -> Iterator[dict[str, Any]]:
    for name, about in sorted(kept.files.items()):
        if name.startswith("elections/"):
            yield {
                "name": Path(name).stem,
                "path": name,
                "profile": "tabular-data-resource",
                "format": "parquet",
                "mediatype": "application/vnd.apache.parquet",
                "bytes": about["bytes"],
                "hash": f"sha256:{about['sha256']}",
                "schema": "schema.json",
            }


def _slug(name: str) -> str:
    """Return a name as data packages have them."""
    kept = "".join(c if c.isalnum() and c.isascii() else "-" for c in name.lower())
    return kept.strip("-") or "elections"


def _json(content: dict[str, Any]) -> bytes:
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()
