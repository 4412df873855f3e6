"""From a total to the levels that it pays for: the inverse problem, loaded on demand (chapter budget)."""
