"""What runs the rules: when each particle is activated, one activation, the observer."""
