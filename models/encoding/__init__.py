"""Encodes texts as vectors: the encoder in PyTorch, batching, fine-tuning; the published one in
NumPy.
"""
