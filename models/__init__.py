"""Models and algorithms: sentence splitting, entities, readers, encoder and hash codes. No Beam."""
