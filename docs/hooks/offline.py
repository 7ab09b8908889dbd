"""Pages that ask nobody, and that can be searched from a disk too.

Pages from a disk may start no worker from a file. The plugin ``offline`` would load a remedy from
another host; here, the worker that searches is made of its text instead.

To that worker a minus before a word means "without it"; two are an error, and so is one at the end
of a word, as it is while a reader types ``time-limit``. It is asked for ``time`` then, and for
``time-limit`` where a reader types ``--time-limit``.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

#: Named as the plugin ``offline`` wants it, among the scripts that come first (mkdocs.yml).
REMEDY = "assets/iframe-worker.js"

_SCRIPT = r"""const text = %s;
const QUERY = 2;
const DASHES = /(?<=^|\s)--+(?=\w)|-+(?=\s|$)/g;
globalThis.Worker = class extends Worker {
  constructor(address, options) {
    const searches = String(address).includes("/workers/search.");
    const fromDisk = searches && location.protocol === "file:";
    super(fromDisk ? URL.createObjectURL(new Blob([text])) : address, options);
    this.searches = searches;
  }
  postMessage(message, ...more) {
    if (this.searches && message.type === QUERY)
      message = { ...message, data: message.data.replace(DASHES, "") };
    super.postMessage(message, ...more);
  }
};
"""

#: What a page may do: run scripts of its own folder, and engines in workers.
POLICY = (
    "default-src 'none'; script-src 'self' {scripts} 'wasm-unsafe-eval' blob:; worker-src 'self' "
    "blob:; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'"
)

_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the script with the text of the worker."""
    (worker,) = (
        file
        for folder in config.theme.dirs
        for file in Path(folder).glob("assets/javascripts/workers/search.*.js")
    )
    content = _SCRIPT % json.dumps(worker.read_text(encoding="utf-8"))
    files.append(File.generated(config, REMEDY, content=content))
    return files


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Let a page say what it may do."""
    return with_policy(output)


def on_post_template(output: str, template_name: str, config: MkDocsConfig) -> str:
    """Do the same for the page that says that there is none."""
    return with_policy(output) if template_name.endswith(".html") else output


def with_policy(output: str) -> str:
    """Return a page that allows its own inline scripts and no others."""
    digests = (hashlib.sha256(text.encode()).digest() for text in _INLINE.findall(output))
    allowed = dict.fromkeys(f"'sha256-{base64.b64encode(one).decode()}'" for one in digests)
    policy = POLICY.format(scripts=" ".join(allowed))
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    return re.sub(r"(<head>\s*<meta charset=[^>]*>)", rf"\1{meta}", output, count=1)
