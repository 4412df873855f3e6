"""What only chapters and tests use: the paper to the letter, the genomes, the figures."""
