"""Secrets of downstreams, encrypted so that only their own connector can have them read."""
