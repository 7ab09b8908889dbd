"""The engine as a WebAssembly module, and the page without a server."""
