"""Texts to vectors: the encoder, batching, fine-tuning."""
