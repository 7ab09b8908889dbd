"""The web page: watch a run, step through it both ways, look into memories, make one's own."""
