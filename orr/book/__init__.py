"""What only chapters and tests use: the paper to the letter, genomes, real people, figures, tables."""
