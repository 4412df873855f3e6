"""The optimum under caps on neighbour levels: research past the paper, loaded on demand (chapter price)."""
