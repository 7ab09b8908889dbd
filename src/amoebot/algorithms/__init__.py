"""The elections, one package each; ``interface`` says what a package provides."""
