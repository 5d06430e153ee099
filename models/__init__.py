"""What computes: sentence splitting, entities, readers, encoder and hash codes. No Beam."""
